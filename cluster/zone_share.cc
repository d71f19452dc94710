#include "cluster/zone_share.h"

#include <algorithm>

namespace huygens::cluster {

std::vector<ZoneShare> NameZones(std::span<const ZoneAmount> zones, const NodeTopology* topology) {
  std::vector<ZoneShare> shares;
  shares.reserve(zones.size());
  for (const auto& [zone, amount] : zones) shares.push_back({ZoneName(zone, topology), zone, amount});
  std::ranges::sort(shares, {}, &ZoneShare::name);
  return shares;
}

}  // namespace huygens::cluster
