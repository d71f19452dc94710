#include "rule_objects/followed_labels.h"

#include <memory>

#include "kube/decoded_object.h"

namespace huygens::rule_objects {
namespace {

struct DecodedLabels final : cluster::DecodedWorkload {
  explicit DecodedLabels(NameAndLabels decoded) : object(std::move(decoded)) {}
  const NameAndLabels object;
};

kube::DecodedObject PresentLabels(std::string_view json, uint64_t resource_version) {
  kube::DecodedObject result{.event = std::nullopt, .fault = {}, .name = "(no name)"};
  StatusOr<NameAndLabels> read = DecodeNameAndLabels(json);
  if (read.ok() && read->uid.empty()) read = Invalid("an object without a UID");
  if (!read.ok()) {
    result.fault = read.status();
    return result;
  }
  result.name = read->name;
  result.event = cluster::WorkloadSet{std::make_shared<const DecodedLabels>(*std::move(read)), resource_version};
  return result;
}

}  // namespace

Status FollowedLabels::Start(const net::ClientOptions& api_server, std::string_view path) {
  kube::Resource resource;
  resource.paths = {std::string(path)};
  resource.present = PresentLabels;
  resource.deleted = [](std::string_view json) { return kube::DecodeDeleted(cluster::Kind::kWorkload, json); };
  return FollowedObjects::Start(api_server, std::move(resource));
}

const Labels* FollowedLabels::Find(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : &found->second.labels;
}

std::string FollowedLabels::Set(const cluster::DecodedWorkload& object) {
  const NameAndLabels& read = static_cast<const DecodedLabels&>(object).object;
  by_name_[read.name] = read;
  names_[read.uid] = read.name;
  if (on_change_) on_change_();
  return read.uid;
}

void FollowedLabels::Gone(const std::string& uid) {
  const auto name = names_.find(uid);
  if (name == names_.end()) return;
  const auto found = by_name_.find(name->second);
  if (found != by_name_.end() && found->second.uid == uid) by_name_.erase(found);
  names_.erase(name);
  if (on_change_) on_change_();
}

}  // namespace huygens::rule_objects
