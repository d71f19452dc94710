#include "topology/kubelet_merge.h"

#include <algorithm>
#include <cstdlib>
#include <tuple>

namespace huygens::topology {

namespace {

// Kubelet merges by a product of all hints. A merged mask is preferred only if all hints of its combination are that
// very mask, and preferred each; and a preferred one beats all others. So it is enough to look for a mask that every
// resource prefers.
MaskAnswer PreferredByAll(const KubeletState& state, const HintSet& hints, std::span<const int> distance, int& steps) {
  const KubeletOptions& options = state.machine.options;
  if (hints.impossible) return {};
  std::optional<int> common;
  for (const ResourceHints& each : hints.resources) {
    if (options.align_by_socket && each.kind == ResourceHints::Kind::kCpus) continue;  // may prefer several widths
    if (common && *common != each.width) return {};
    common = each.width;
  }
  int width = common.value_or(hints.resources[0].width);
  int last = common.value_or(CountZones(hints.resources[0].universe));
  if (options.policy == TopologyManagerPolicy::kSingleNumaNode) last = std::min(last, 1);
  MaskAnswer answer;
  for (; width <= last && !answer.mask && !answer.bounded; ++width) {
    answer = FindCommonMask(state, hints.resources, width, 0, distance, steps);
  }
  return answer;
}

// Which masks can come of a combination of one hint per list: combining two families of masks by "and" is a product of
// their sums over supersets.
class Combinations {
 public:
  // Masks are numbered by the zones of `universe` only.
  Combinations(const KubeletState& state, const HintSet& hints, ZoneMask universe)
      : size_(size_t{1} << CountZones(universe)), masks_(size_, 0), reachable_(size_, 0) {
    size_t bit = 1;
    for (size_t zone : ZonesIn{universe}) {
      for (size_t i = 0; i < bit; ++i) masks_[i | bit] = masks_[i] | ZoneBit(zone);
      bit <<= 1;
    }
    reachable_.back() = 1;
    std::vector<int32_t> family(size_);
    for (const ResourceHints& each : hints.resources) {
      int least = 0;
      family[0] = 0;
      for (size_t i = 1; i < size_; ++i) {
        family[i] = Feasible(state, each, masks_[i]) ? 1 : 0;
        if (family[i] != 0 && (least == 0 || CountZones(masks_[i]) < least)) least = CountZones(masks_[i]);
      }
      if (least == 0) continue;
      widest_need_ = std::max(widest_need_, least);
      Transform(family, 1);
      for (size_t i = 0; i < each.Lists(); ++i) And(family);
    }
  }

  // The most zones that any resource needs at least; 0 = no resource has any hint.
  int widest_need() const { return widest_need_; }

  template <typename Visit>
  void ForEach(Visit visit) const {
    for (size_t i = 1; i < size_; ++i) {
      if (reachable_[i] != 0) visit(masks_[i]);
    }
  }

 private:
  // Sums over supersets, or undoes that.
  void Transform(std::vector<int32_t>& family, int32_t sign) const {
    for (size_t bit = 1; bit < size_; bit <<= 1) {
      for (size_t i = 0; i < size_; i += 2 * bit) {
        for (size_t j = i; j < i + bit; ++j) family[j] += sign * family[j + bit];
      }
    }
  }
  void And(const std::vector<int32_t>& summed) {
    Transform(reachable_, 1);
    for (size_t i = 0; i < size_; ++i) reachable_[i] *= summed[i];
    Transform(reachable_, -1);
    for (int32_t& count : reachable_) count = count != 0 ? 1 : 0;
  }

  size_t size_;
  std::vector<ZoneMask> masks_;
  std::vector<int32_t> reachable_;
  int widest_need_ = 0;
};

// Best effort when nothing is preferred: as many zones as the resource that needs the most, else fewer, the more the
// better, else more, the fewer the better; then the lowest or nearest.
Merge BestNotPreferred(const KubeletState& state, const HintSet& hints, std::span<const int> distance) {
  Merge merge{.affinity = {.zones = AllZones(state.zones)}};
  ZoneMask universe = 0;
  for (const ResourceHints& each : hints.resources) universe |= each.universe;
  if (CountZones(universe) > kMaxMergeZones) {
    merge.bounded = true;
    return merge;
  }
  const Combinations combinations(state, hints, universe);
  const int wanted = combinations.widest_need();
  if (wanted == 0) return merge;
  auto rank = [&](ZoneMask mask) {
    const int count = CountZones(mask);
    return std::tuple(count > wanted, std::abs(count - wanted),
                      distance.empty() ? 0 : DistanceWithin(distance, state.zones, mask), mask);
  };
  std::optional<ZoneMask> best;
  combinations.ForEach([&](ZoneMask mask) {
    if (!best || rank(mask) < rank(*best)) best = mask;
  });
  if (best) merge.affinity.zones = best;
  return merge;
}

}  // namespace

Merge MergeHints(const KubeletState& state, const HintSet& hints, int& steps) {
  const KubeletOptions& options = state.machine.options;
  const bool single = options.policy == TopologyManagerPolicy::kSingleNumaNode;
  const ZoneMask all = AllZones(state.zones);
  std::span<const int> distance;
  if (options.prefer_closest && !single) distance = state.machine.distance;
  Merge merge{.affinity = {.zones = all, .preferred = true}};
  if (!hints.resources.empty()) {
    const MaskAnswer answer = PreferredByAll(state, hints, distance, steps);
    if (answer.mask) {
      merge.affinity.zones = answer.mask;
    } else if (options.policy == TopologyManagerPolicy::kBestEffort) {
      merge = BestNotPreferred(state, hints, distance);
    } else {
      merge.admitted = false;
    }
    merge.bounded |= answer.bounded;
  }
  if (single && merge.affinity.zones == all) merge.affinity.zones.reset();
  return merge;
}

}  // namespace huygens::topology
