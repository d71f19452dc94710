// What a pod without history is taken to use: the larger of request and limit of each container and sidecar, plus
// overhead, times 0.85 for cpu and 0.70 for everything else; 250 milli-cores or 200 MiB where it states nothing
// (koordinator's LoadAwareScheduling, pkg/scheduler/plugins/loadaware/estimator), 0 for resources other than cpu and
// memory. Pod-level resources take the place of the containers'.
#pragma once

#include <cstdint>
#include <string>

#include "base/resource.h"
#include "cluster/objects.h"

namespace huygens::usage {

int64_t EstimateOf(const cluster::Pod& pod, ResourceId resource);
// The most that a pod may state for the estimate to be no more than this.
int64_t MostStated(int64_t estimate, ResourceId resource);
// How it came about: "85 % of what it requests or is limited to, nothing measured yet".
std::string EstimateText(const cluster::Pod& pod, ResourceId resource);

}  // namespace huygens::usage
