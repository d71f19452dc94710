// A pod as the community's scheduler plugin looks at it to score nodes: worked out once per call. Pure; any thread.
// Source: kubernetes-sigs/scheduler-plugins, pkg/noderesourcetopology/score.go, pkg/util (GetPodEffectiveRequest).
#pragma once

#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "cluster/objects.h"

namespace huygens::scoring {

// (position in CommunityPod::resources, amount); zeros stay.
using ZoneDemand = absl::InlinedVector<std::pair<size_t, int64_t>, 4>;

struct CommunityPod {
  bool guaranteed = false;  // of other pods nothing is pinned: every node is as good
  std::vector<ResourceId> resources;
  // Init containers, sidecars among them, then the others; those without any request are left out.
  std::vector<ZoneDemand> containers;
  // Per resource the larger of the sum of the others and the largest init container, and overhead on top.
  ZoneDemand pod;
};

CommunityPod CommunityPodOf(const cluster::Pod& pod);

}  // namespace huygens::scoring
