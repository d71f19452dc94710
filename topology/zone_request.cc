#include "topology/zone_request.h"

#include <algorithm>

#include "cluster/pod_requests.h"

namespace huygens::topology {

namespace {

bool WholeAndLimited(int64_t cpu_request, int64_t cpu_limit) {
  return cpu_request > 0 && cpu_request % 1000 == 0 && cpu_request == cpu_limit;
}

bool TakesPart(const cluster::PodResources& pod_level) {
  return WholeAndLimited(pod_level.requests.Get(kCpu), pod_level.limits.Get(kCpu));
}

bool Excluded(const cluster::Pod& pod, std::span<const ResourceId> managed_resources) {
  return pod.owned_by_daemon_set || pod.cpu_policy == cluster::CpuPolicy::kNone ||
         std::find(managed_resources.begin(), managed_resources.end(), kCpu) == managed_resources.end();
}

void Add(const ResourceVector& requests, std::span<const ResourceId> managed_resources, Amounts& amounts) {
  amounts.resize(managed_resources.size(), 0);
  for (size_t r = 0; r < managed_resources.size(); ++r) {
    amounts[r] = SaturatingAdd(amounts[r], std::max<int64_t>(0, requests.Get(managed_resources[r])));
  }
}

}  // namespace

bool IsTarget(const cluster::Container& container) {
  return WholeAndLimited(container.requests.Get(kCpu), container.limits.Get(kCpu));
}

ZoneRequest RequestOf(const cluster::Pod& pod, std::span<const ResourceId> managed_resources) {
  ZoneRequest request;
  if (Excluded(pod, managed_resources)) return request;
  const auto take = [&](const ResourceVector& requests) {
    request.aware = pod.topology_awareness;
    request.smt = pod.smt;
    if (pod.smt != cluster::Smt::kUnset) request.largest_cpu = std::max(request.largest_cpu, requests.Get(kCpu));
    Add(requests, managed_resources, request.amounts);
  };
  for (const cluster::Container& container : pod.containers) {
    if (IsTarget(container)) take(container.requests);
  }
  if (request.AsksNothing() && pod.pod_level && TakesPart(*pod.pod_level)) take(pod.pod_level->requests);
  return request;
}

Amounts PlacedAmounts(const cluster::Pod& pod, std::span<const ResourceId> managed_resources) {
  Amounts amounts;
  if (Excluded(pod, managed_resources)) return amounts;
  for (const cluster::Container& container : pod.containers) {
    if (IsTarget(container)) Add(cluster::PlacedRequests(pod, container), managed_resources, amounts);
  }
  if (!amounts.empty() || !pod.pod_level || !TakesPart(*pod.pod_level)) return amounts;
  ResourceVector requests = cluster::PlacedPodRequests(pod);
  for (const auto& [resource, amount] : pod.overhead) requests.Add(resource, -amount);
  Add(requests, managed_resources, amounts);
  return amounts;
}

}  // namespace huygens::topology
