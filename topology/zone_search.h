// The search behind SelectZones() where several zones are needed: the fewest, then the nearest to each other, then
// those with the most free cpu, then the lowest ids. Pure; any thread.
//
// It goes set by set, zones from the most free to the least, and leaves out every branch that cannot hold the request
// or cannot beat the best set found: exact for up to kExactZones zones, where that is at most 4096 sets. With more
// zones good sets come first, grown from one zone after the other by always adding the nearest zone that leaves the
// rest able to hold the request, and kMostWork is the limit; the best set found by then is taken. With one resource
// that has the fewest zones there are, and nearly always the least distance. With several, if none was found, it is all
// zones without those that can be spared, which may be more than the fewest. Measured: below 40 us for 64 zones of any
// figures (docs/performance.md).
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "topology/zone_choice.h"

namespace huygens::topology {

inline constexpr size_t kExactZones = 12;
inline constexpr int kMostWork = 1 << 11;  // about the number of sets looked at, where zones are more

// Nothing if all zones together cannot hold the request. Looks at sets of two zones and more.
std::optional<ZoneSet> SearchZones(const ZoneOffers& offers, std::span<const int64_t> request);

}  // namespace huygens::topology
