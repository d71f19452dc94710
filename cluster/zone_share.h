// What a pod was given of the zones of its node, under the names that the node's topology object has for them: as
// annotations and people are told.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cluster/objects.h"

namespace huygens::cluster {

struct ZoneShare {
  std::string name;  // as ZoneName has it
  int zone = -1;
  ResourceVector amount;
};

// Ordered by name as text, in which order crane writes zones. `topology` may be null.
std::vector<ZoneShare> NameZones(std::span<const ZoneAmount> zones, const NodeTopology* topology);

}  // namespace huygens::cluster
