// The community's strategies for nodes whose kubelet wants a single zone, in upstream's numbers, 0 to 100:
//
//   LeastAllocated      per resource (available - request) * 100 / available
//   MostAllocated       per resource request * 100 / available
//   BalancedAllocation  (1 - variance of request / available over the resources) * 100
//
// The first two are 0 for a resource of which a zone has too little, and are meant over the resources by weight; the
// third is 0 if there is too little of any. CPU counts in whole cores, rounded up. A node's score is that of its worst
// zone above 0, in container scope the mean over the containers; nothing is taken off between containers. All
// divisions round down. Pure; any thread.
//
// Where upstream fails: zone ids may be sparse (upstream panics); a container that asks nothing is left out of the
// mean, and a pod that asks nothing gets 100 (upstream divides by zero); a single resource is balanced, as for
// kube-scheduler itself (upstream makes an integer of NaN); what would leave 0 to 100 is cut to it. Source:
// kubernetes-sigs/scheduler-plugins, pkg/noderesourcetopology/{score,least_allocated,most_allocated,
// balanced_allocation}.go.
#pragma once

#include <string_view>

#include "kubelet/machine.h"
#include "scoring/community_pod.h"
#include "scoring/community_zones.h"

namespace huygens::scoring {

enum class ZoneStrategy : uint8_t { kLeastAllocated, kMostAllocated, kBalancedAllocation };
std::string_view Name(ZoneStrategy strategy);

// `weights` by resource; 1 where it has none.
int StrategyScore(ZoneStrategy strategy, const CommunityPod& pod, kubelet::TopologyManagerScope scope,
                  const CommunityZones& zones, const ResourceVector& weights);

}  // namespace huygens::scoring
