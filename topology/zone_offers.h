// What the zones of one node can still give at one moment: the input of the zone choice. A plain value; any thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>

#include "absl/container/inlined_vector.h"
#include "cluster/objects.h"

namespace huygens::topology {

struct ZoneOffers {
  size_t resources = 1;                   // amounts per zone; the first is cpu, in milli-cores
  absl::InlinedVector<int, 8> zones;      // ids, ascending; at most 64
  absl::InlinedVector<int64_t, 16> free;  // zone by zone, at least 0: decides which zone is preferred
  // How much of that this pod may take. Less than free where a pod crosses zones: then only whole CPUs of a zone's
  // capacity count, as in crane.
  absl::InlinedVector<int64_t, 16> usable;
  // Distance there and back between each two zones, row by row; twice 255 everywhere if the object does not give all of
  // them.
  std::span<const uint16_t> distance;
  int64_t nearest = 0;  // the least of these
  bool even = true;     // all are equal

  size_t size() const { return zones.size(); }
  int64_t Free(size_t zone, size_t resource) const { return free[zone * resources + resource]; }
  int64_t Usable(size_t zone, size_t resource) const { return usable[zone * resources + resource]; }
  int64_t Distance(size_t a, size_t b) const { return distance[a * zones.size() + b]; }
};

// Zones of the offers by position; as many as a node may have, so that no choice allocates.
using ZoneOrder = absl::InlinedVector<uint8_t, cluster::kMaxZones>;

// Those with the largest `amount_of(zone)` first, equals by id.
template <typename AmountOf>
ZoneOrder LargestFirst(size_t zones, AmountOf&& amount_of) {
  ZoneOrder order(zones);
  std::iota(order.begin(), order.end(), uint8_t{0});
  std::sort(order.begin(), order.end(),
            [&](uint8_t a, uint8_t b) { return amount_of(a) != amount_of(b) ? amount_of(a) > amount_of(b) : a < b; });
  return order;
}
inline ZoneOrder FreestFirst(const ZoneOffers& offers) {
  return LargestFirst(offers.size(), [&](size_t zone) { return offers.Free(zone, 0); });
}

}  // namespace huygens::topology
