#include "topology/zone_choice.h"

#include <algorithm>
#include <bit>

namespace huygens::topology {

namespace {

// As many as a node may have, so that no choice allocates.
using Order = absl::InlinedVector<uint8_t, cluster::kMaxZones>;

// Indexes into the offers, those with the most free cpu first, equals by id.
Order FreestFirst(const ZoneOffers& offers) {
  Order order(offers.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<uint8_t>(i);
  std::sort(order.begin(), order.end(), [&](uint8_t a, uint8_t b) {
    return offers.Free(a, 0) != offers.Free(b, 0) ? offers.Free(a, 0) > offers.Free(b, 0) : a < b;
  });
  return order;
}

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

// How many zones are needed at least, looking at one resource at a time; nothing if all together do not suffice.
std::optional<int> LeastCount(const ZoneOffers& offers, std::span<const int64_t> request) {
  int least = 1;
  absl::InlinedVector<int64_t, cluster::kMaxZones> amounts(offers.size());
  for (size_t r = 0; r < request.size(); ++r) {
    for (size_t z = 0; z < offers.size(); ++z) amounts[z] = offers.Usable(z, r);
    std::sort(amounts.begin(), amounts.end(), std::greater<>());
    int64_t left = request[r];
    int count = 0;
    for (int64_t amount : amounts) {
      if (left <= 0 || amount <= 0) break;
      left -= amount;
      ++count;
    }
    if (left > 0) return std::nullopt;
    least = std::max(least, count);
  }
  return least;
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

bool Holds(const ZoneOffers& offers, uint64_t members, std::span<const int64_t> request) {
  for (size_t r = 0; r < request.size(); ++r) {
    int64_t left = request[r];
    for (uint64_t rest = members; rest != 0 && left > 0; rest &= rest - 1) {
      left -= offers.Usable(static_cast<size_t>(std::countr_zero(rest)), r);
    }
    if (left > 0) return false;
  }
  return true;
}

int64_t DistanceTo(const ZoneOffers& offers, size_t zone, uint64_t members) {
  int64_t distance = 0;
  for (; members != 0; members &= members - 1) {
    distance += offers.Distance(zone, static_cast<size_t>(std::countr_zero(members)));
  }
  return distance;
}

// All zones without those that can be spared, trying the least free first.
ZoneSet Spare(const ZoneOffers& offers, std::span<const int64_t> request) {
  const Order order = FreestFirst(offers);
  ZoneSet set;
  for (uint8_t zone : order) set.members |= uint64_t{1} << zone;
  for (size_t i = order.size(); i-- > 0;) {
    uint64_t without = set.members & ~(uint64_t{1} << order[i]);
    if (Holds(offers, without, request)) set.members = without;
  }
  set.count = std::popcount(set.members);
  uint64_t before = 0;
  for (uint64_t rest = set.members; rest != 0; rest &= rest - 1) {
    set.distance += DistanceTo(offers, static_cast<size_t>(std::countr_zero(rest)), before);
    before |= rest & (~rest + 1);
  }
  return set;
}

// The best set of exactly `count` zones. Inside, zones are numbered from the most free to the least.
class Search {
 public:
  Search(const ZoneOffers& offers, std::span<const int64_t> request, int count)
      : offers_(offers), request_(request), count_(count), zones_(offers.size()), order_(FreestFirst(offers)) {
    cpu_before_[0] = 0;
    for (size_t i = 0; i < zones_; ++i) {
      free_[i] = offers.Free(order_[i], 0);
      usable_[i] = offers.Usable(order_[i], 0);
      cpu_before_[i + 1] = cpu_before_[i] + free_[i];
      row_[i] = offers.distance.data() + order_[i] * zones_;
    }
  }

  std::optional<ZoneSet> Run() {
    Extend(0, 0, {});
    return best_;
  }
  // There may be better sets than the one found, or one where none was found.
  bool GaveUp() const { return steps_ > kMaxSteps; }

 private:
  struct Sums {
    int64_t distance = 0, free = 0, usable = 0;
  };

  // chosen_ holds `count` zones from before `next`.
  void Extend(size_t next, int count, const Sums& sums) {
    const auto missing = static_cast<size_t>(count_ - count);
    for (size_t i = next; i + missing <= zones_; ++i) {
      if (++steps_ > kMaxSteps) return;
      // No completion has more free cpu than the next zones in the order; later ones have less still.
      const int64_t most_free = sums.free + cpu_before_[i + missing] - cpu_before_[i];
      if (most_free < request_[0]) return;
      Sums larger{sums.distance, sums.free + free_[i], sums.usable + usable_[i]};
      for (int c = 0; c < count; ++c) larger.distance += row_[i][chosen_[c]];
      if (best_) {
        const int64_t pairs = (count_ * (count_ - 1) - (count + 1) * count) / 2;
        const int64_t least_distance = larger.distance + pairs * offers_.nearest;
        if (least_distance > best_->distance) continue;
        if (least_distance == best_->distance && most_free < best_free_) continue;
      }
      chosen_[count] = order_[i];
      if (missing > 1) {
        Extend(i + 1, count + 1, larger);
      } else if (larger.usable >= request_[0]) {
        Consider(larger);
      }
    }
  }

  void Consider(const Sums& sums) {
    ZoneSet set{0, count_, sums.distance};
    for (int c = 0; c < count_; ++c) set.members |= uint64_t{1} << chosen_[c];
    if (request_.size() > 1 && !Holds(offers_, set.members, request_)) return;
    if (best_) {
      if (set.distance != best_->distance) {
        if (set.distance > best_->distance) return;
      } else if (sums.free != best_free_) {
        if (sums.free < best_free_) return;
      } else {
        // The lowest zone that only one of them has decides.
        uint64_t different = set.members ^ best_->members;
        if ((set.members & different & (~different + 1)) == 0) return;
      }
    }
    best_ = set;
    best_free_ = sums.free;
  }

  const ZoneOffers& offers_;
  std::span<const int64_t> request_;
  const int count_;
  const size_t zones_;
  const Order order_;
  // By place in the order; not initialized, as most nodes have few zones.
  int64_t free_[cluster::kMaxZones];
  int64_t usable_[cluster::kMaxZones];
  int64_t cpu_before_[cluster::kMaxZones + 1];
  const uint16_t* row_[cluster::kMaxZones];
  uint8_t chosen_[cluster::kMaxZones];  // numbered as in the offers
  int steps_ = 0;
  std::optional<ZoneSet> best_;
  int64_t best_free_ = 0;
};

}  // namespace

std::optional<ZoneSet> SelectZones(const ZoneOffers& offers, std::span<const int64_t> request, bool one_zone) {
  if (auto one = SelectOne(offers, request); one || one_zone) return one;
  if (auto freest = SelectFreest(offers, request)) return freest;
  std::optional<int> least = LeastCount(offers, request);
  if (!least) return std::nullopt;
  for (int count = std::max(2, *least); count <= static_cast<int>(offers.size()); ++count) {
    Search search(offers, request, count);
    if (auto set = search.Run()) return set;
    if (search.GaveUp()) break;
  }
  return Spare(offers, request);
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
