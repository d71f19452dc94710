#include "topology/zone_choice.h"

#include <algorithm>

#include "topology/zone_search.h"

namespace huygens::topology {

namespace {

std::optional<ZoneSet> SelectOne(const ZoneOffers& offers, std::span<const int64_t> request) {
  std::optional<size_t> best;
  for (size_t z = 0; z < offers.size(); ++z) {
    bool holds = true;
    for (size_t r = 0; r < request.size(); ++r) holds = holds && offers.Usable(z, r) >= request[r];
    if (holds && (!best || offers.Free(z, 0) > offers.Free(*best, 0))) best = z;
  }
  if (!best) return std::nullopt;
  return ZoneSet{uint64_t{1} << *best, 1, 0};
}

// The freest zones, if that is the best set for certain: one resource, all zones equally near, and no fewer zones can
// do.
std::optional<ZoneSet> SelectFreest(const ZoneOffers& offers, std::span<const int64_t> request) {
  if (!offers.even || request.size() != 1) return std::nullopt;
  ZoneSet set;
  int64_t free_before_last = 0;
  int64_t free = 0;
  int64_t usable = 0;
  for (uint8_t zone : FreestFirst(offers)) {
    free_before_last = free;
    free += offers.Free(zone, 0);
    usable += offers.Usable(zone, 0);
    set.members |= uint64_t{1} << zone;
    ++set.count;
    if (usable < request[0]) continue;
    if (free_before_last >= request[0]) return std::nullopt;  // others, less rounded, might do with one zone less
    set.distance = offers.nearest * set.count * (set.count - 1) / 2;
    return set;
  }
  return std::nullopt;
}

}  // namespace

std::optional<ZoneSet> SelectZones(const ZoneOffers& offers, std::span<const int64_t> request, bool one_zone) {
  if (auto one = SelectOne(offers, request); one || one_zone) return one;
  if (auto freest = SelectFreest(offers, request)) return freest;
  return SearchZones(offers, request);
}

std::vector<cluster::ZoneAmount> Divide(const ZoneOffers& offers, const ZoneSet& set, std::span<const int64_t> request,
                                        std::span<const ResourceId> resources) {
  std::vector<cluster::ZoneAmount> parts;
  absl::InlinedVector<int64_t, 2> left(request.begin(), request.end());
  for (uint8_t zone : FreestFirst(offers)) {
    if ((set.members >> zone & 1) == 0) continue;
    cluster::ZoneAmount part{offers.zones[zone], {}};
    for (size_t r = 0; r < left.size(); ++r) {
      int64_t taken = std::min(left[r], offers.Usable(zone, r));
      if (taken > 0) part.amount.Set(resources[r], taken);
      left[r] -= taken;
    }
    parts.push_back(std::move(part));
  }
  std::sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.zone < b.zone; });
  return parts;
}

}  // namespace huygens::topology
