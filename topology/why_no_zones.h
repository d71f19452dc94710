// Why a pod gets no zones of any managed node, for people. Pure function of the pod; any thread.
#pragma once

#include <span>
#include <string>

#include "cluster/objects.h"

namespace huygens::topology {

// One cause, e.g. "container app asks for 1500m cpu, which is no whole number"; empty if the pod asks for zones
// (topology/zone_request.h).
std::string WhyNoZones(const cluster::Pod& pod, std::span<const ResourceId> managed_resources);

}  // namespace huygens::topology
