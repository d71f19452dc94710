#include "placement/pod_headroom.h"

#include <algorithm>
#include <limits>

#include "placement/node_fit.h"

namespace huygens::placement {

namespace {

int64_t ByRequests(const cluster::State& state, NodeIndex node, const ResourceVector& requests) {
  const ResourceVector used = state.RequestedOn(node);
  int64_t most = std::numeric_limits<int64_t>::max();
  for (const auto& [resource, amount] : requests) {
    if (amount <= 0) continue;
    const int64_t left = state.GetNode(node)->allocatable.Get(resource) - used.Get(resource);
    most = std::min(most, std::max<int64_t>(0, left) / amount);
  }
  return most;
}

// So many of the pod at once.
usage::Demand Times(usage::Demand demand, int64_t count) {
  for (usage::ResourceDemand& each : demand.resources) {
    each.peak *= count;
    each.estimate *= count;
    for (int64_t& value : each.curve) value *= count;
  }
  return demand;
}

}  // namespace

cluster::Pod PodOfSize(const ResourceVector& size) {
  cluster::Pod pod;
  pod.containers.push_back({.name = "", .requests = size, .limits = size});
  return pod;
}

int64_t PodHeadroom(const Placement& placement, NodeIndex node, const cluster::Pod& pod, Time now) {
  if (placement.state().GetNode(node) == nullptr) return 0;
  constexpr int64_t kMost = 1 << 14;  // so that a multiple of the pod cannot overflow
  int64_t fit = std::min(kMost, ByRequests(placement.state(), node, RequestsOf(pod)));
  const usage::Account& usage = placement.usage();
  if (!placement.Enforces(&policy::Needs::ceilings)) return fit;
  const usage::Demand demand = usage.DemandOf(pod);
  const usage::ResourceMask aside = usage.SteppingAside(now) | usage.ShortHistory();
  int64_t too_many = fit + 1;
  fit = 0;
  while (too_many - fit > 1) {
    const int64_t count = fit + (too_many - fit) / 2;
    (usage.Judge(node, Times(demand, count), now, aside) == usage::Verdict::kFits ? fit : too_many) = count;
  }
  return fit;
}

}  // namespace huygens::placement
