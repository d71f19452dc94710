#include "topology/zone_search.h"

#include <bit>
#include <limits>

#include "topology/zone_mask.h"

namespace huygens::topology {

namespace {

// Which of two equally good sets has the lower ids: the one with the lowest zone that only one of them has.
bool LowerIds(uint64_t a, uint64_t b) {
  const uint64_t different = a ^ b;
  return (a & different & (~different + 1)) != 0;
}

class Search {
 public:
  Search(const ZoneOffers& offers, std::span<const int64_t> request)
      : offers_(offers),
        request_(request),
        zones_(offers.size()),
        freest_(FreestFirst(offers)),
        most_usable_(request.size() * (zones_ + 1)),
        work_(zones_ > kExactZones ? kMostWork : std::numeric_limits<int>::max()),
        left_(request.size() * (zones_ + 1)) {
    free_before_[0] = 0;
    for (size_t i = 0; i < zones_; ++i) free_before_[i + 1] = free_before_[i] + offers.Free(freest_[i], 0);
    for (size_t r = 0; r < request.size(); ++r) {
      most_.push_back(LargestFirst(zones_, [&](size_t zone) { return offers.Usable(zone, r); }));
      for (size_t i = 0; i < zones_; ++i) MostUsable(r, i + 1) = MostUsable(r, i) + offers.Usable(most_[r][i], r);
      left_[r] = request[r];
    }
    std::fill_n(distance_to_[0], zones_, uint16_t{0});
    members_[0] = 0;
  }

  std::optional<ZoneSet> Run() {
    for (size_t r = 0; r < request_.size(); ++r) {
      if (MostUsable(r, zones_) < request_[r]) return std::nullopt;
    }
    for (count_ = LeastCount(); count_ <= zones_ && work_ > 0; ++count_) {
      if (zones_ > kExactZones) GrowSets();
      Extend(0, {});
      if (best_.count > 0) return best_;
    }
    return Spare();
  }

 private:
  // A set under way. What else is known of it stands in the arrays by count.
  struct Sums {
    size_t count = 0;
    int64_t distance = 0;
    int64_t free = 0;
  };

  int64_t& MostUsable(size_t resource, size_t zones) { return most_usable_[resource * (zones_ + 1) + zones]; }
  int64_t& Left(size_t count, size_t resource) { return left_[count * request_.size() + resource]; }

  // How many zones are needed at least, looking at one resource at a time.
  size_t LeastCount() {
    size_t count = 2;
    for (size_t r = 0; r < request_.size(); ++r) {
      while (MostUsable(r, count) < request_[r]) ++count;
    }
    return count;
  }

  Sums With(const Sums& set, size_t zone) const {
    return {set.count + 1, set.distance + distance_to_[set.count][zone], set.free + offers_.Free(zone, 0)};
  }

  // Fills the arrays for the set with one zone more.
  void Add(size_t count, size_t zone) {
    const uint16_t* row = offers_.distance.data() + zone * zones_;
    for (size_t z = 0; z < zones_; ++z) {
      distance_to_[count + 1][z] = static_cast<uint16_t>(distance_to_[count][z] + row[z]);
    }
    for (size_t r = 0; r < request_.size(); ++r) Left(count + 1, r) = Left(count, r) - offers_.Usable(zone, r);
    members_[count + 1] = members_[count] | ZoneBit(zone);
    work_ -= static_cast<int>(zones_ / 8 + request_.size());
  }

  // Whether the request may still be held if `zone` is added and then the largest zones there are.
  bool MayHold(size_t count, size_t zone) {
    for (size_t r = 0; r < request_.size(); ++r) {
      if (Left(count, r) - offers_.Usable(zone, r) > MostUsable(r, count_ - count - 1)) return false;
    }
    return true;
  }

  // Tries all sets that consist of the one under way and zones from place `next` on.
  void Extend(size_t next, const Sums& set) {
    const size_t missing = count_ - set.count;
    for (size_t i = next; i + missing <= zones_; ++i) {
      if (--work_ < 0) return;
      // No completion has more free cpu than the next zones in the order; later ones have less still.
      const int64_t most_free = set.free + free_before_[i + missing] - free_before_[i];
      if (most_free < request_[0]) return;
      const size_t zone = freest_[i];
      const Sums larger = With(set, zone);
      if (best_.count > 0) {
        const auto pairs = static_cast<int64_t>(count_ * (count_ - 1) - larger.count * (larger.count - 1)) / 2;
        const int64_t least_distance = larger.distance + pairs * offers_.nearest;
        if (least_distance > best_.distance) continue;
        if (least_distance == best_.distance && most_free < best_free_) continue;
      }
      if (!MayHold(set.count, zone)) continue;
      if (missing == 1) {
        Consider(larger, members_[set.count] | ZoneBit(zone));
      } else {
        Add(set.count, zone);
        Extend(i + 1, larger);
      }
    }
  }

  void Consider(const Sums& sums, uint64_t members) {
    if (best_.count > 0) {
      if (sums.distance != best_.distance) {
        if (sums.distance > best_.distance) return;
      } else if (sums.free != best_free_) {
        if (sums.free < best_free_) return;
      } else if (!LowerIds(members, best_.members)) {
        return;
      }
    }
    best_ = {members, static_cast<int>(sums.count), sums.distance};
    best_free_ = sums.free;
  }

  // From each zone that is in none of the sets grown before.
  void GrowSets() {
    const int kept = work_ / 4;  // for the search set by set
    uint64_t seen = 0;
    for (size_t i = 0; i < zones_ && work_ > kept; ++i) {
      if ((seen & ZoneBit(freest_[i])) == 0 && MayHold(0, freest_[i])) seen |= Grow(freest_[i], kept);
    }
  }

  // Always the nearest zone that leaves the rest able to hold the request. Returns the zones of the set.
  uint64_t Grow(size_t first, int kept) {
    Sums set;
    std::optional<size_t> next = first;
    while (next) {
      const Sums larger = With(set, *next);
      Add(set.count, *next);
      set = larger;
      // With one resource a set of the fewest zones is certain to be there: the first one is completed at any cost.
      const bool certain = best_.count == 0 && request_.size() == 1;
      const bool go_on = set.count < count_ && (certain || work_ > kept);
      next = go_on ? Nearest(set.count) : std::nullopt;
    }
    if (set.count == count_) Consider(set, members_[count_]);
    return members_[set.count];
  }

  std::optional<size_t> Nearest(size_t count) {
    absl::InlinedVector<int64_t, 2> least(request_.size());  // that the zone must have usable
    for (size_t r = 0; r < request_.size(); ++r) {
      least[r] = Left(count, r);
      size_t others = count_ - count - 1;
      for (size_t i = 0; others > 0; ++i) {
        if (members_[count] & ZoneBit(most_[r][i])) continue;
        least[r] -= offers_.Usable(most_[r][i], r);
        --others;
      }
    }
    work_ -= static_cast<int>((zones_ + count_ * request_.size()) / 4);
    std::optional<size_t> nearest;
    for (uint8_t zone : freest_) {
      if (members_[count] & ZoneBit(zone)) continue;
      if (nearest && distance_to_[count][zone] >= distance_to_[count][*nearest]) continue;
      bool enough = true;
      for (size_t r = 0; r < request_.size(); ++r) enough = enough && offers_.Usable(zone, r) >= least[r];
      if (enough) nearest = zone;
    }
    return nearest;
  }

  // All zones without those that can be spared, trying the least free first.
  ZoneSet Spare() {
    ZoneSet set;
    for (size_t r = 0; r < request_.size(); ++r) left_[r] = MostUsable(r, zones_) - request_[r];
    for (size_t i = zones_; i-- > 0;) {
      const size_t zone = freest_[i];
      bool spared = true;
      for (size_t r = 0; r < request_.size(); ++r) spared = spared && left_[r] >= offers_.Usable(zone, r);
      if (spared) {
        for (size_t r = 0; r < request_.size(); ++r) left_[r] -= offers_.Usable(zone, r);
        continue;
      }
      for (uint64_t rest = set.members; rest != 0; rest &= rest - 1) {
        set.distance += offers_.Distance(zone, static_cast<size_t>(std::countr_zero(rest)));
      }
      set.members |= ZoneBit(zone);
      ++set.count;
    }
    return set;
  }

  const ZoneOffers& offers_;
  std::span<const int64_t> request_;
  const size_t zones_;
  const ZoneOrder freest_;                        // by free cpu
  int64_t free_before_[cluster::kMaxZones + 1];   // sum over the zones before a place in that order
  absl::InlinedVector<ZoneOrder, 2> most_;        // by what is usable, for each resource
  absl::InlinedVector<int64_t, 64> most_usable_;  // sum over the first zones in that order
  size_t count_ = 0;                              // of the sets that are looked for
  int work_;
  // Of the set under way, by the number of its zones. Not initialized, as most nodes have few zones.
  absl::InlinedVector<int64_t, 64> left_;  // of the request
  uint64_t members_[cluster::kMaxZones + 1];
  uint16_t distance_to_[cluster::kMaxZones + 1][cluster::kMaxZones];  // from all of them to each zone
  ZoneSet best_;                                                      // none yet if its count is 0
  int64_t best_free_ = 0;
};

}  // namespace

std::optional<ZoneSet> SearchZones(const ZoneOffers& offers, std::span<const int64_t> request) {
  return Search(offers, request).Run();
}

}  // namespace huygens::topology
