#include "rescheduler/workload_pods.h"

#include <algorithm>

#include "rescheduling/move.h"

namespace huygens::rescheduler {

namespace {

bool Counts(const cluster::Pod& pod) {
  return !pod.owner_uid.empty() && !std::string_view(pod.uid).starts_with(rescheduling::kStandInPrefix);
}

}  // namespace

void WorkloadPods::Place(const cluster::PlacedPod& placed) {
  if (rescheduler::Counts(*placed.pod)) pods_[std::string(placed.pod->owner_uid)].push_back(placed.pod);
}

void WorkloadPods::Leave(const cluster::PlacedPod& placed) {
  const auto of_owner = pods_.find(std::string_view(placed.pod->owner_uid));
  if (!rescheduler::Counts(*placed.pod) || of_owner == pods_.end()) return;
  auto& pods = of_owner->second;
  const auto at = std::ranges::find(pods, placed.pod->uid, [](const auto& pod) { return pod->uid; });
  if (at == pods.end()) return;
  *at = pods.back();
  pods.pop_back();
  if (pods.empty()) pods_.erase(of_owner);
}

WorkloadPods::Counts WorkloadPods::Of(std::string_view owner_uid) const {
  Counts counts;
  const auto of_owner = pods_.find(owner_uid);
  if (of_owner == pods_.end()) return counts;
  for (const auto& pod : of_owner->second) {
    if (!pod->deleting) ++counts.replicas;
    if (pod->deleting || !pod->ready) ++counts.unavailable;
  }
  return counts;
}

std::span<const std::shared_ptr<const cluster::Pod>> WorkloadPods::PodsOf(std::string_view owner_uid) const {
  const auto of_owner = pods_.find(owner_uid);
  return of_owner == pods_.end() ? std::span<const std::shared_ptr<const cluster::Pod>>() : of_owner->second;
}

}  // namespace huygens::rescheduler
