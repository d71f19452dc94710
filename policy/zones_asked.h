// What a pod asks of the zones of nodes, worked out once for the check "topology", the terms and the choice of zones.
#pragma once

#include "policy/pod_query.h"
#include "topology/node_zones.h"

namespace huygens::policy {

// Of nodes of this kind; null: nothing.
inline const topology::PreparedPod* ZonesAsked(const PodQuery& pod, const topology::NodeZones& kind) {
  return pod.Once(&kind, [&] { return kind.Prepare(pod.pod); });
}

}  // namespace huygens::policy
