#include "topology/node_mode.h"

#include <algorithm>

namespace huygens::topology {

NodeMode ModeOf(const cluster::NodeTopology* topology) {
  if (!topology) return NodeMode::kNoTopology;
  if (topology->source != cluster::TopologySource::kCrane) return NodeMode::kKubelet;
  bool ascending = std::adjacent_find(topology->zones.begin(), topology->zones.end(), [](const auto& a, const auto& b) {
                     return a.id >= b.id;
                   }) == topology->zones.end();
  if (!topology->defect.empty() || topology->zones.size() > cluster::kMaxZones || !ascending)
    return NodeMode::kUnusable;
  return topology->pinned_by_agent ? NodeMode::kManaged : NodeMode::kKubelet;
}

}  // namespace huygens::topology
