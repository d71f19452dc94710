// The community's strategy LeastNUMANodes: the fewer zones kubelet will need for a pod, the better, and half a step
// more where these zones are as near to each other as zones of that number can be. In upstream's numbers, 0 to 100:
//
//   100 - zones * step + (nearest ? step / 2 : 0),  step = 100 / maxNUMANodes
//
// Per container, in their order, each taking what it needs from its zones before the next; the most zones count, and
// all must be nearest. In pod scope the pod at once. 100 if no zone lists anything that is asked for, 0 if it does not
// fit. Only zones that list all that a container asks for, even 0 of it, can be chosen. Pure; any thread.
//
// The search is topology/mask_search: exact wherever its steps suffice, as they do for the 8 zones that kubelet is made
// for and for any one or two zones. Where they do not, all zones that list what is asked for are taken, or nearer zones
// of that number are missed; upstream would walk 2^n sets. Differs from upstream where that fails: ids are labels
// (upstream indexes a list with them), distances above 255 count as 255, of equally near zones those with the lowest
// ids as a mask are taken, as kubelet does (upstream: the lowest first id), and a score below 0 is 0. Source:
// kubernetes-sigs/scheduler-plugins, pkg/noderesourcetopology/least_numa.go.
#pragma once

#include <array>
#include <optional>

#include "kubelet/machine.h"
#include "scoring/community_pod.h"
#include "scoring/community_zones.h"
#include "topology/zone_mask.h"

namespace huygens::scoring {

struct NumaNeed {
  topology::ZoneMask zones = 0;
  bool nearest = false;  // no other zones of that number, free or not, are nearer to each other
};

// The searches for one pod on one node. `zones` must outlive it and may be taken from between them.
class NumaSearch {
 public:
  explicit NumaSearch(const CommunityZones& zones);
  // Nothing if the zones do not suffice.
  std::optional<NumaNeed> Need(const ZoneDemand& demand);

 private:
  // Of any so many zones; nothing if the steps do not suffice.
  std::optional<int64_t> LeastDistance(int count);
  int64_t Distance(topology::ZoneMask mask) const;

  const CommunityZones& zones_;
  int steps_;
  std::array<std::optional<int64_t>, 65> least_;  // by count
};

int LeastNumaStep(int zones, bool nearest, int max_numa_nodes);

// `zones` is left with less by what the containers take.
int LeastNumaScore(const CommunityPod& pod, kubelet::TopologyManagerScope scope, int max_numa_nodes,
                   CommunityZones& zones);

}  // namespace huygens::scoring
