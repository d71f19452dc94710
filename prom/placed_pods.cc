#include "prom/placed_pods.h"

#include <utility>

#include "usage/workload.h"

namespace huygens::prom {

void PlacedPods::Place(const cluster::PlacedPod& placed) {
  const cluster::Pod& pod = *placed.pod;
  const bool all = which_ == Which::kAll;
  if (!all && usage::WorkloadOf(pod) == usage::GuessWorkload(pod.namespace_name, pod.name)) return;
  const std::lock_guard lock(mutex_);
  pods_.insert_or_assign(pod.Key(), placed.pod);
  if (all && pod.start_time) started_.push_back(placed.pod);
}

void PlacedPods::Leave(const cluster::PlacedPod& placed) {
  const std::lock_guard lock(mutex_);
  const auto known = pods_.find(placed.pod->Key());
  // A pod created under the same name may be there already.
  if (known != pods_.end() && known->second->uid == placed.pod->uid) pods_.erase(known);
}

PodPointer PlacedPods::Find(std::string_view key) const {
  const std::lock_guard lock(mutex_);
  const auto known = pods_.find(key);
  return known == pods_.end() ? nullptr : known->second;
}

std::vector<PodPointer> PlacedPods::TakeStarted() {
  const std::lock_guard lock(mutex_);
  return std::exchange(started_, {});
}

}  // namespace huygens::prom
