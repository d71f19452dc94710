// Which zones a pod gets: the fewest; of these the nearest to each other; of these those with the most free cpu; of
// these the lowest ids. Pure functions; any thread.
//
// Exact for up to 12 zones whatever the figures, and mostly beyond; bounded in time for 64 (topology/zone_search.h).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "cluster/objects.h"
#include "topology/zone_offers.h"

namespace huygens::topology {

struct ZoneSet {
  uint64_t members = 0;  // bit i: the i-th zone of the offers
  int count = 0;
  int64_t distance = 0;  // over all pairs, there and back
  // Mean over ordered pairs; 0 for one zone.
  double MeanDistance() const { return count < 2 ? 0 : static_cast<double>(distance) / (count * (count - 1)); }
  friend bool operator==(const ZoneSet&, const ZoneSet&) = default;
};

// Nothing if the zones together (or, for `one_zone`, each of them) cannot hold the request. The request has one amount
// per resource of the offers, the first above 0.
std::optional<ZoneSet> SelectZones(const ZoneOffers& offers, std::span<const int64_t> request, bool one_zone);

// How the request is divided: the zone with the most free cpu gives all it has, then the next, and so on for each
// resource. The parts add up to the request exactly. Ordered by zone id; `resources` names the amounts.
std::vector<cluster::ZoneAmount> Divide(const ZoneOffers& offers, const ZoneSet& set, std::span<const int64_t> request,
                                        std::span<const ResourceId> resources);

}  // namespace huygens::topology
