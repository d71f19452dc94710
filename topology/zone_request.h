// What a pod asks of the zones of a managed node. Pure function of the pod; any thread.
// Source of the rule: crane-scheduler, pkg/plugins/noderesourcetopology (PreFilter) and crane's pod policies.
#pragma once

#include <optional>
#include <span>

#include "cluster/objects.h"
#include "topology/options.h"

namespace huygens::topology {

struct ZoneRequest {
  Amounts amounts;            // empty = asks nothing: any node will do, no result is written
  std::optional<bool> aware;  // the pod's own word on "one zone only"; unset = the node decides
  cluster::Smt smt = cluster::Smt::kUnset;
  int64_t largest_cpu = 0;  // of one container, in milli-cores; only where smt is set

  bool AsksNothing() const { return amounts.empty(); }
  // The pod cannot do without a topology object.
  bool RequiresTopology() const { return !AsksNothing() && (aware == true || smt != cluster::Smt::kUnset); }
};

// A container takes part if its cpu request equals its cpu limit and is a whole number of CPUs above 0; init
// containers, sidecars and overhead do not. Where no container does, the pod-level resources take part by the same
// rule, which crane does not know. Pods of a DaemonSet, with cpu-policy none, or where nothing takes part ask nothing.
bool IsTarget(const cluster::Container& container);
ZoneRequest RequestOf(const cluster::Pod& pod, std::span<const ResourceId> managed_resources);

// The amounts of a pod that is on a node, where an in-place resize may be under way or done: what the spec asks, what
// is in force or what kubelet has promised, whichever is most (cluster::PlacedPodRequests). Empty if nothing takes
// part.
Amounts PlacedAmounts(const cluster::Pod& pod, std::span<const ResourceId> managed_resources);

}  // namespace huygens::topology
