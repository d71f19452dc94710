#include "kubelet/merge.h"

#include <algorithm>
#include <utility>

namespace huygens::kubelet {

namespace {

// Kubelet merges by a product of all hints. A merged mask is preferred only if all hints of its combination are that
// very mask, and preferred each; and a preferred one beats all others. So it is enough to look for a mask that every
// resource prefers.
MaskAnswer PreferredByAll(const AdmissionState& state, const HintSet& hints, std::span<const int> distance,
                          int& steps) {
  const Options& options = state.machine.options;
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

// Best effort when nothing is preferred: as many zones as the resource that needs the most, else fewer, the more the
// better, else more, the fewer the better; then the lowest or nearest.
Merge BestNotPreferred(const AdmissionState& state, const HintSet& hints, std::span<const int> distance, int& steps) {
  Merge merge{.affinity = {.zones = AllZones(state.zones)}};
  ZoneMask universe = 0;
  for (const ResourceHints& each : hints.resources) universe |= each.universe;
  const int count = CountZones(universe);
  if (count > kMaxMergeZones || steps < 0) {
    merge.bounded = true;
    return merge;
  }
  absl::InlinedVector<size_t, kMaxMergeZones> zones;
  for (size_t zone : ZonesIn{universe}) zones.push_back(zone);
  // Which masks can come of a combination of one hint per list.
  MaskSet reachable;
  reachable.Add((size_t{1} << count) - 1);
  int wanted = 0;  // the most zones that any resource needs at least
  for (const ResourceHints& each : hints.resources) {
    const MaskSet family = FeasibleMasks(state, each, zones);
    if (family.empty()) continue;
    int least = 1;
    while (family.OfWidth(least).empty()) ++least;
    wanted = std::max(wanted, least);
    for (size_t i = 0; i < each.Lists(); ++i) reachable = MaskSet::Combined(reachable, family);
    steps -= static_cast<int>(each.Lists()) << count >> 2;  // about what they cost
  }
  if (wanted == 0) return merge;
  auto lowest = [&](int width) {
    std::optional<std::pair<int64_t, ZoneMask>> best;
    reachable.OfWidth(width).ForEach([&](size_t places) {
      if (best && distance.empty()) return;
      ZoneMask mask = 0;
      for (size_t place : ZonesIn{places}) mask |= ZoneBit(zones[place]);
      const std::pair each(distance.empty() ? 0 : DistanceWithin(distance, state.zones, mask), mask);
      if (!best || each < *best) best = each;
    });
    if (best) merge.affinity.zones = best->second;
    return best.has_value();
  };
  for (int width = wanted; width > 0; --width) {
    if (lowest(width)) return merge;
  }
  for (int width = wanted + 1; width <= count; ++width) {
    if (lowest(width)) return merge;
  }
  return merge;
}

}  // namespace

Merge MergeHints(const AdmissionState& state, const HintSet& hints, int& steps) {
  const Options& options = state.machine.options;
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
      merge = BestNotPreferred(state, hints, distance, steps);
    } else {
      merge.admitted = false;
    }
    merge.bounded |= answer.bounded;
  }
  if (single && merge.affinity.zones == all) merge.affinity.zones.reset();
  return merge;
}

}  // namespace huygens::kubelet
