#include "capacity_writer/watched_zones.h"

#include <memory>
#include <utility>

#include "informer/watch_readiness.h"
#include "kube/api_call.h"
#include "kube/decoded_object.h"
#include "kube/list_path.h"
#include "wire/object_meta.h"

namespace huygens::capacity_writer {
namespace {

using cluster::TopologySource;

cluster::Kind KindOf(TopologySource source) {
  return source == TopologySource::kCrane ? cluster::Kind::kCraneTopology : cluster::Kind::kCommunityTopology;
}

struct Decoded final : cluster::DecodedWorkload {
  explicit Decoded(ZoneObject decoded) : object(std::move(decoded)) {}
  const ZoneObject object;
};

// One that cannot be read stays as it was: its version is an old one then, so that nothing is written to it.
kube::DecodedObject Present(std::string_view json, TopologySource source, uint64_t resource_version) {
  kube::DecodedObject result{.event = std::nullopt, .fault = {}, .name = "(no name)"};
  auto object = DecodeZoneObject(json, source);
  if (!object.ok()) {
    result.fault = object.status();
    const auto meta = wire::DecodeObjectMeta(json);
    if (!meta.ok() || meta->uid.empty()) return result;
    result.name = meta->name;
    result.event = cluster::WorkloadKept{meta->uid};
    return result;
  }
  result.name = object->name;
  result.event = cluster::WorkloadSet{std::make_shared<const Decoded>(*std::move(object)), resource_version};
  return result;
}

kube::Resource ZonesResource(TopologySource source) {
  kube::Resource resource;
  for (const std::string_view path : kube::ListPaths(KindOf(source))) resource.paths.emplace_back(path);
  resource.optional = true;
  resource.why_absent = kube::WhyAbsent(KindOf(source));
  resource.present = [source](std::string_view json, uint64_t version) { return Present(json, source, version); };
  resource.deleted = [](std::string_view json) { return kube::DecodeDeleted(cluster::Kind::kWorkload, json); };
  return resource;
}

}  // namespace

WatchedZones::WatchedZones(TopologySource source, ResourceNames& names, net::EventLoop& loop, observe::Log& log,
                           observe::Metrics& metrics, std::function<void(const ZoneObject& object)> on_set)
    : FollowedObjects(std::string(Name(KindOf(source))), names, loop, log, metrics),
      source_(source),
      on_set_(std::move(on_set)) {}

Status WatchedZones::Start(const net::ClientOptions& api_server) {
  return FollowedObjects::Start(api_server, ZonesResource(source_));
}

std::string WatchedZones::NotReady() const {
  if (complete()) return "";
  const informer::Missing missing[] = {NotListed()};
  return informer::WaitingText(missing);
}

const ZoneObject* WatchedZones::Find(std::string_view name) const {
  const auto found = objects_.find(name);
  return found == objects_.end() ? nullptr : &found->second;
}

std::string WatchedZones::Set(const cluster::DecodedWorkload& object) {
  const ZoneObject& zones = static_cast<const Decoded&>(object).object;
  objects_[zones.name] = zones;
  name_of_[zones.uid] = zones.name;
  on_set_(zones);
  return zones.uid;
}

void WatchedZones::Gone(const std::string& uid) {
  const auto name = name_of_.find(uid);
  if (name == name_of_.end()) return;
  // Another one may have its name by now.
  if (const auto found = objects_.find(name->second); found != objects_.end() && found->second.uid == uid) {
    objects_.erase(found);
  }
  name_of_.erase(name);
}

}  // namespace huygens::capacity_writer
