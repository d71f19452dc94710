#include "rule_keeping/followed_live.h"

#include <memory>
#include <optional>

#include "base/text.h"
#include "kube/decoded_object.h"
#include "kube/resource.h"
#include "wire/object_meta.h"

namespace huygens::rule_keeping {

namespace {

struct DecodedLive final : cluster::DecodedWorkload {
  explicit DecodedLive(LiveJson live) : object(std::move(live)) {}
  const LiveJson object;
};

kube::DecodedObject Present(std::string_view json, uint64_t resource_version) {
  const auto meta = wire::DecodeObjectMeta(json);
  kube::DecodedObject result{.event = std::nullopt, .fault = meta.status(), .name = "(no name)"};
  if (!meta.ok()) return result;
  result.name = Concat(meta->namespace_name, meta->namespace_name.empty() ? "" : "/", meta->name);
  if (meta->uid.empty()) {
    result.fault = Invalid("an object without a UID");
    return result;
  }
  result.event = cluster::WorkloadSet{
      std::make_shared<const DecodedLive>(LiveJson{.uid = meta->uid,
                                                   .namespace_name = meta->namespace_name,
                                                   .name = meta->name,
                                                   .resource_version = std::to_string(resource_version),
                                                   .json = std::string(json)}),
      resource_version};
  return result;
}

}  // namespace

Status FollowedLive::Start(const net::ClientOptions& api_server, std::string path) {
  kube::Resource resource;
  resource.paths = {std::move(path)};
  resource.present = Present;
  resource.deleted = [](std::string_view json) { return kube::DecodeDeleted(cluster::Kind::kWorkload, json); };
  return FollowedObjects::Start(api_server, std::move(resource));
}

std::string FollowedLive::Set(const cluster::DecodedWorkload& object) {
  const LiveJson& live = static_cast<const DecodedLive&>(object).object;
  callbacks_.set(live);
  return live.uid;
}

}  // namespace huygens::rule_keeping
