#include "topology/mask_search.h"

#include <algorithm>
#include <functional>
#include <limits>

#include "base/resource.h"

namespace huygens::topology {

namespace {

class Search {
 public:
  Search(const MaskQuery& query, int width, int& steps)
      : query_(query), width_(static_cast<size_t>(width)), steps_(steps) {
    for (size_t zone : ZonesIn{query.universe}) zones_.push_back(static_cast<uint8_t>(zone));
    if (width_ > 1) FillMost();
    if (!query.distance.empty()) {
      side_ = 0;
      while ((side_ + 1) * (side_ + 1) <= query.distance.size()) ++side_;
      least_ = query.least ? *query.least : LeastOf(query.distance, side_);
    }
  }

  MaskAnswer Run() {
    if (width_ >= 1 && width_ <= zones_.size()) {
      missing_.resize((width_ + 1) * query_.sums.size());
      bool possible = true;
      for (size_t s = 0; s < query_.sums.size(); ++s) {
        Missing(width_)[s] = query_.sums[s].need;
        possible = possible && (width_ == 1 || most_[Row(s, zones_.size()) + width_] >= query_.sums[s].need);
      }
      if (possible) Choose(zones_.size(), width_, 0, 0);
    }
    return {best_, bounded_};
  }

 private:
  // What is missing of each sum when `count` zones are yet to be chosen.
  int64_t* Missing(size_t count) { return missing_.data() + count * query_.sums.size(); }

  // most_[(sum * (zones + 1) + limit) * (width + 1) + count]: the most that `count` of the first `limit` zones add up
  // to.
  size_t Row(size_t sum, size_t limit) const { return (sum * (zones_.size() + 1) + limit) * (width_ + 1); }
  void FillMost() {
    most_.assign(Row(query_.sums.size(), 0), 0);
    if (width_ > 2) steps_ -= static_cast<int>(most_.size() / 8);  // about what they cost
    absl::InlinedVector<int64_t, 64> largest;
    for (size_t s = 0; s < query_.sums.size(); ++s) {
      largest.clear();
      for (size_t limit = 1; limit <= zones_.size(); ++limit) {
        int64_t amount = query_.sums[s].amounts[zones_[limit - 1]];
        largest.insert(std::upper_bound(largest.begin(), largest.end(), amount, std::greater<>()), amount);
        if (largest.size() > width_) largest.pop_back();
        int64_t* row = &most_[Row(s, limit)];
        for (size_t count = 1; count <= width_; ++count) {
          row[count] = SaturatingAdd(row[count - 1], count <= largest.size() ? largest[count - 1] : 0);
        }
      }
    }
  }

  // Chooses a zone, the next `count` ones being among the first `limit`. False if they cannot make up what is missing.
  bool Suffices(size_t zone, size_t limit, size_t count) {
    const int64_t* before = Missing(count + 1);
    int64_t* after = Missing(count);
    for (size_t s = 0; s < query_.sums.size(); ++s) {
      after[s] = std::max<int64_t>(before[s] - query_.sums[s].amounts[zone], 0);
      if (after[s] > (count == 0 ? 0 : most_[Row(s, limit) + count])) return false;
    }
    return true;
  }

  // Adds `count` of the first `limit` zones to `mask`, the highest of them being the lowest possible first. Returns
  // true when nothing better can come.
  bool Choose(size_t limit, size_t count, ZoneMask mask, int64_t distance) {
    if (count == 0) return Accept(mask, distance);
    const ZoneMask must = query_.must & ~mask;
    if (CountZones(must) > static_cast<int>(count)) return false;
    const int64_t least_left = LeastLeft(count - 1);
    for (size_t i = count - 1; i < limit; ++i) {
      const size_t zone = zones_[i];
      if (must >> zone > 1) continue;                             // a zone that must be in lies above
      if (width_ > 2) steps_ -= query_.distance.empty() ? 1 : 2;  // about what they cost
      if (steps_ < 0) {
        bounded_ = true;
        return true;
      }
      if (!Suffices(zone, i, count - 1)) continue;
      const int64_t farther = distance + Farther(zone, mask);
      if (best_ && farther + least_left >= best_distance_) continue;
      if (Choose(i, count - 1, mask | ZoneBit(zone), farther)) return true;
    }
    return false;
  }

  // What a zone adds to the distance within a mask.
  int64_t Farther(size_t zone, ZoneMask mask) const {
    if (query_.distance.empty()) return 0;
    int64_t sum = query_.distance[zone * side_ + zone];
    for (size_t other : ZonesIn{mask}) {
      sum += int64_t{query_.distance[zone * side_ + other]} + query_.distance[other * side_ + zone];
    }
    return sum;
  }
  // The least that `count` more zones will add to it.
  int64_t LeastLeft(size_t count) const { return least_.Within(width_) - least_.Within(width_ - count); }

  bool Accept(ZoneMask mask, int64_t distance) {
    if ((query_.must & ~mask) != 0) return false;
    if (query_.accepts && !(*query_.accepts)(mask)) return false;
    best_ = mask;
    best_distance_ = distance;
    return query_.distance.empty() || distance == least_.Within(width_);
  }

  const MaskQuery& query_;
  size_t width_;
  int& steps_;
  absl::InlinedVector<uint8_t, 64> zones_;
  absl::InlinedVector<int64_t, 128> most_;
  absl::InlinedVector<int64_t, 32> missing_;
  size_t side_ = 0;
  LeastDistances least_;
  std::optional<ZoneMask> best_;
  int64_t best_distance_ = 0;
  bool bounded_ = false;
};

}  // namespace

int64_t DistanceWithin(std::span<const int> distance, size_t zones, ZoneMask mask) {
  int64_t sum = 0;
  for (size_t a : ZonesIn{mask}) {
    for (size_t b : ZonesIn{mask}) sum += distance[a * zones + b];
  }
  return sum;
}

LeastDistances LeastOf(std::span<const int> distance, size_t zones) {
  LeastDistances least{std::numeric_limits<int>::max(), std::numeric_limits<int>::max()};
  for (size_t zone = 0; zone < zones; ++zone) {
    const size_t itself = zone * (zones + 1);
    least.own = std::min(least.own, distance[itself]);
    // Between one zone's distance to itself and the next one's: in one run without a branch, for the vector units.
    for (int each : distance.subspan(itself + 1, zone + 1 < zones ? zones : 0))
      least.other = std::min(least.other, each);
  }
  return least;
}

MaskAnswer FindMask(const MaskQuery& query, int width, int& steps) {
  if (width > 2 && steps < 0) return {.bounded = true};
  return Search(query, width, steps).Run();
}

std::optional<int> LeastWidth(ZoneMask universe, std::span<const ZoneSum> sums) {
  int width = 1;
  absl::InlinedVector<int64_t, 64> amounts;
  for (const ZoneSum& sum : sums) {
    amounts.clear();
    for (size_t zone : ZonesIn{universe}) amounts.push_back(sum.amounts[zone]);
    std::sort(amounts.begin(), amounts.end(), std::greater<>());
    int count = 0;
    int64_t missing = sum.need;
    while (count < static_cast<int>(amounts.size()) && (missing > 0 || count == 0)) {
      missing -= amounts[static_cast<size_t>(count++)];
    }
    if (missing > 0 || count == 0) return std::nullopt;
    width = std::max(width, count);
  }
  return width;
}

}  // namespace huygens::topology
