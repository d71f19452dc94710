#include "topology/zone_request.h"

#include <algorithm>

namespace huygens::topology {

bool IsTarget(const cluster::Container& container) {
  int64_t cpu = container.requests.Get(kCpu);
  return cpu > 0 && cpu % 1000 == 0 && cpu == container.limits.Get(kCpu);
}

ZoneRequest RequestOf(const cluster::Pod& pod, std::span<const ResourceId> managed_resources) {
  ZoneRequest request;
  if (pod.owned_by_daemon_set || pod.cpu_policy == cluster::CpuPolicy::kNone) return request;
  if (std::find(managed_resources.begin(), managed_resources.end(), kCpu) == managed_resources.end()) return request;
  for (const cluster::Container& container : pod.containers) {
    if (!IsTarget(container)) continue;
    request.aware = pod.topology_awareness;
    request.smt = pod.smt;
    if (pod.smt != cluster::Smt::kUnset)
      request.largest_cpu = std::max(request.largest_cpu, container.requests.Get(kCpu));
    request.amounts.resize(managed_resources.size(), 0);
    for (size_t r = 0; r < managed_resources.size(); ++r) {
      int64_t amount = std::max<int64_t>(0, container.requests.Get(managed_resources[r]));
      request.amounts[r] = SaturatingAdd(request.amounts[r], amount);
    }
  }
  return request;
}

}  // namespace huygens::topology
