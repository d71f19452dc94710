#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "kubelet/cpu_assignment.h"

namespace huygens::kubelet {

namespace {

using Zones = absl::InlinedVector<size_t, 8>;

// Visits the combinations of `count` elements in order until `visit` returns true.
//
// Kubelet keeps the best combination by reference, and Go's append lets later combinations overwrite its tail: all that
// begin with the same elements, up to the last growth of the slice's array, share one array. What kubelet ends up with
// is therefore the last combination visited of that kind, which Kept tells. (iterateCombinations)
class Combinations {
 public:
  explicit Combinations(const Zones& from) : from_(from) {}

  template <typename Visit>
  void Walk(size_t count, Visit visit) {
    own_ = 1;
    for (size_t grown = 1; grown < count; grown *= 2) own_ = grown + 1;
    Zones combination;
    kept_.clear();
    (void)Descend(count, 0, combination, visit);
  }
  void Keep(const Zones& combination) { kept_ = combination; }
  const Zones& Kept() const { return kept_; }

 private:
  template <typename Visit>
  bool Descend(size_t count, size_t start, Zones& combination, Visit& visit) {
    if (count == 0) {
      if (!kept_.empty() &&
          std::equal(kept_.begin(), kept_.begin() + static_cast<std::ptrdiff_t>(own_), combination.begin())) {
        kept_ = combination;
      }
      return visit(combination);
    }
    for (size_t i = start; i + count <= from_.size(); ++i) {
      combination.push_back(from_[i]);
      const bool stop = Descend(count - 1, i + 1, combination, visit);
      combination.pop_back();
      if (stop) return true;
    }
    return false;
  }

  const Zones& from_;
  size_t own_ = 1;  // leading elements that tell one array from another
  Zones kept_;
};

double ToThousandths(double x) { return std::round(x * 1000) / 1000; }

class Distribution {
 public:
  Distribution(const CpuLayout& layout, const CpuSet& available, int count, int group, const Options& options,
               int& steps)
      : layout_(layout),
        available_(available),
        count_(count),
        group_(group),
        options_(options),
        steps_(steps),
        zones_(ZonesByAvailable(layout, available)) {
    int total = 0;
    for (size_t zone : zones_) {
      left_[zone] = available.CountIn(layout.InZone(zone));
      total += left_[zone];
    }
    mean_ = ToThousandths(static_cast<double>(total - count) / static_cast<double>(zones_.size()));
    for (size_t zone : zones_) spread_ += Deviation(left_[zone]);
  }

  // Nothing if kubelet packs instead; an empty set if it fails.
  std::optional<CpuSet> Run() {
    const int groups = (static_cast<int>(layout_.cpus().size()) - 1) / group_ + 1;
    const int groups_per_zone = (groups - 1) / layout_.zones_with_cpus() + 1;
    const int needed = (count_ - 1) / group_ + 1;
    const int most = std::min(needed, static_cast<int>(zones_.size()));
    for (int width = (needed - 1) / groups_per_zone + 1; width <= most; ++width) {
      if (Search(static_cast<size_t>(width))) return Take();
      if (steps_ < 0) return std::nullopt;
    }
    return std::nullopt;
  }

 private:
  double Deviation(int left) const { return (left - mean_) * (left - mean_); }
  double Balance(double spread) const { return ToThousandths(std::sqrt(spread / static_cast<double>(zones_.size()))); }

  bool Search(size_t width) {
    even_ = count_ / static_cast<int>(width) / group_ * group_;
    best_ = std::numeric_limits<double>::max();
    Combinations combinations(zones_);
    combinations.Walk(width, [&](const Zones& zones) {
      if (best_ == 0 || --steps_ < 0) return true;
      Zones rest;
      if (double balance = TryCombination(zones, rest); balance < best_) {
        best_ = balance;
        remainder_zones_ = rest;
        combinations.Keep(zones);
      }
      return false;
    });
    chosen_ = combinations.Kept();
    return steps_ >= 0 && !chosen_.empty();
  }

  // How uneven the zones would be left; `rest` gets the zones that give what even shares leave over.
  double TryCombination(const Zones& zones, Zones& rest) {
    constexpr double kNone = std::numeric_limits<double>::max();
    int sum = 0, groups = 0;
    Zones with_more;
    double spread = spread_;
    for (size_t zone : zones) {
      sum += left_[zone];
      groups += left_[zone] / group_;
      if (left_[zone] < even_) return kNone;
      if (left_[zone] - even_ >= group_) with_more.push_back(zone);
      spread += Deviation(left_[zone] - even_) - Deviation(left_[zone]);
    }
    if (sum < count_ || groups * group_ < count_) return kNone;
    const int remainder = count_ - even_ * static_cast<int>(zones.size());
    if (remainder == 0) return Balance(spread);
    double best = kNone;
    for (size_t width = with_more.size(); width >= 1; --width) {
      Combinations subsets(with_more);
      bool kept = false;
      subsets.Walk(width, [&](const Zones& subset) {
        if (--steps_ < 0) return true;
        if (double balance = TrySubset(subset, remainder, spread); balance < best) {
          best = balance;
          subsets.Keep(subset);
          kept = true;
        }
        return false;
      });
      if (kept) rest = subsets.Kept();
    }
    return best;
  }

  double TrySubset(const Zones& subset, int remainder, double spread) const {
    Zones after;
    int room = 0;
    for (size_t zone : subset) {
      after.push_back(static_cast<size_t>(left_[zone] - even_));
      room += left_[zone] - even_;
    }
    if (room < remainder) return std::numeric_limits<double>::max();
    for (bool moved = true; remainder > 0 && moved;) {
      moved = false;
      for (size_t& left : after) {
        if (remainder == 0) break;
        if (left < static_cast<size_t>(group_)) continue;
        left -= static_cast<size_t>(group_);
        remainder -= group_;
        moved = true;
      }
    }
    for (size_t i = 0; i < subset.size(); ++i) {
      spread += Deviation(static_cast<int>(after[i])) - Deviation(left_[subset[i]] - even_);
    }
    return Balance(std::max(spread, 0.0));
  }

  CpuSet Take() {
    CpuSet result;
    CpuSet available = available_;
    int missing = count_;
    auto take = [&](size_t zone, int count) {
      auto cpus = TakePacked(layout_, available & layout_.InZone(zone), count, options_);
      if (!cpus) return false;
      missing -= cpus->Count();
      available -= *cpus;
      result |= *cpus;
      return true;
    };
    for (size_t zone : chosen_) (void)take(zone, even_);
    int remainder = count_ - even_ * static_cast<int>(chosen_.size());
    for (bool moved = true; remainder > 0 && moved;) {
      moved = false;
      for (size_t zone : remainder_zones_) {
        if (remainder == 0) break;
        if (!take(zone, group_)) continue;
        remainder -= group_;
        moved = true;
      }
    }
    return missing == 0 ? result : CpuSet();
  }

  const CpuLayout& layout_;
  const CpuSet& available_;
  const int count_, group_;
  const Options& options_;
  int& steps_;
  const Zones zones_;
  std::array<int, 64> left_{};  // CPUs available in each zone
  double mean_ = 0;             // of what is left in a zone afterwards
  double spread_ = 0;           // sum of squares if nothing were taken, around that mean
  int even_ = 0;                // what each zone of a combination gives
  double best_ = 0;
  Zones chosen_, remainder_zones_;
};

}  // namespace

std::optional<CpuSet> TakeDistributed(const CpuLayout& layout, const CpuSet& available, int count,
                                      const Options& options, int& steps) {
  if (count > available.Count()) return std::nullopt;
  const int group = options.full_cores_only ? layout.cpus_per_core() : 1;
  if (count > 0 && count % group == 0 && steps >= 0) {
    if (auto cpus = Distribution(layout, available, count, group, options, steps).Run()) {
      if (cpus->empty()) return std::nullopt;
      return cpus;
    }
  }
  return TakePacked(layout, available, count, options);
}

}  // namespace huygens::kubelet
