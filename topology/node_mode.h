// What a node is, going by the topology object in force. Pure; any thread.
#pragma once

#include <cstdint>

#include "cluster/objects.h"

namespace huygens::topology {

enum class NodeMode : uint8_t {
  kNoTopology,  // no topology object in force
  kManaged,     // crane's object, pinned by the node's agent: huygens chooses the zones
  kKubelet,     // kubelet pins: crane's object says so, or there is one of the community
  kUnusable,    // crane's object has a defect
};

// Null: there is no object.
NodeMode ModeOf(const cluster::NodeTopology* topology);

}  // namespace huygens::topology
