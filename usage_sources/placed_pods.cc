#include "usage_sources/placed_pods.h"

#include <string>
#include <utility>

#include "usage/workload.h"

namespace huygens::usage_sources {

void PlacedPods::Place(const cluster::PlacedPod& placed) {
  const cluster::Pod& pod = *placed.pod;
  const bool all = which_ == Which::kAll;
  if (!all && usage::WorkloadOf(pod) == usage::GuessWorkload(pod.namespace_name, pod.name, pod.node_name)) return;
  const std::string key = pod.Key();
  const std::lock_guard lock(mutex_);
  pods_.insert_or_assign(key, placed.pod);
  if (!all) return;
  if (pod.start_time) started_.insert_or_assign(key, placed.pod);
  // A change is a leaving and a placing.
  if (const auto left = left_.find(key); left != left_.end() && left->second->uid == pod.uid) left_.erase(left);
}

void PlacedPods::Leave(const cluster::PlacedPod& placed) {
  const std::string key = placed.pod->Key();
  const std::lock_guard lock(mutex_);
  if (which_ == Which::kAll) left_.try_emplace(key, placed.pod);
  const auto known = pods_.find(key);
  // A pod created under the same name may be there already.
  if (known == pods_.end() || known->second->uid != placed.pod->uid) return;
  pods_.erase(known);
  started_.erase(key);
}

PodPointer PlacedPods::Find(std::string_view key) const {
  const std::lock_guard lock(mutex_);
  const auto known = pods_.find(key);
  return known == pods_.end() ? nullptr : known->second;
}

TextMap<PodPointer> PlacedPods::TakeStarted() {
  const std::lock_guard lock(mutex_);
  return std::exchange(started_, {});
}

TextMap<PodPointer> PlacedPods::TakeLeft() {
  const std::lock_guard lock(mutex_);
  return std::exchange(left_, {});
}

}  // namespace huygens::usage_sources
