#include "admin/recent_pods.h"

#include "wire/pod.h"

namespace huygens::admin {

StatusOr<std::shared_ptr<const cluster::Pod>> RecentPods::Decode(std::string_view json) {
  if (last_ && json == last_json_) return last_;
  HUYGENS_ASSIGN_OR_RETURN(cluster::Pod decoded, wire::DecodePod(json, resources_));
  if (set_defaults_ != nullptr) set_defaults_(decoded);
  auto pod = std::make_shared<const cluster::Pod>(std::move(decoded));
  last_json_ = json;
  last_ = pod;
  if (pod->uid.empty()) return pod;
  if (pods_.insert_or_assign(pod->uid, Remembered{pod, wire::UnknownAnnotations(json, *pod)}).second) {
    order_.push_back(pod->uid);
    if (order_.size() > capacity_) {
      pods_.erase(order_.front());
      order_.pop_front();
    }
  }
  return pod;
}

std::shared_ptr<const cluster::Pod> RecentPods::Find(std::string_view uid) const {
  auto found = pods_.find(uid);
  return found == pods_.end() ? nullptr : found->second.pod;
}

std::shared_ptr<const cluster::Pod> RecentPods::Find(std::string_view namespace_name, std::string_view name) const {
  for (auto uid = order_.rbegin(); uid != order_.rend(); ++uid) {
    const auto& pod = pods_.find(*uid)->second.pod;
    if (pod->namespace_name == namespace_name && pod->name == name) return pod;
  }
  return nullptr;
}

std::span<const wire::UnknownAnnotation> RecentPods::Unknown(std::string_view uid) const {
  auto found = pods_.find(uid);
  return found == pods_.end() ? std::span<const wire::UnknownAnnotation>() : found->second.unknown;
}

}  // namespace huygens::admin
