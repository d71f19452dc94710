// How many more pods of one kind a node would take ("remaining packages"): by its allocatable as kube-scheduler counts
// (placement/node_fit.h), and where the check "usage" is enforced and does not step aside, by the ceilings of real use.
// NUMA zones, taints and the like are not looked at: it is a measure of room, no promise. Decision thread only.
#pragma once

#include <cstdint>

#include "placement/placement.h"

namespace huygens::placement {

// A pod without history that requests so much and has it for its limit.
cluster::Pod PodOfSize(const ResourceVector& size);

// 0 where there is no Node. `pod` asks for something.
int64_t PodHeadroom(const Placement& placement, NodeIndex node, const cluster::Pod& pod, Time now);

}  // namespace huygens::placement
