#include "scoring/least_numa.h"

#include <algorithm>
#include <limits>

#include "topology/mask_search.h"

namespace huygens::scoring {

namespace {

using topology::ZoneMask;
using topology::ZonesIn;

constexpr int kBest = 100;

// Up to so many zones each search has all the steps; beyond they are shared by all searches for a pod on a node.
constexpr size_t kSmall = 8;
constexpr int kSteps = 2048;

bool AnyListed(const CommunityZones& zones, const ZoneDemand& demand) {
  return std::any_of(demand.begin(), demand.end(), [&](const auto& part) {
    for (size_t zone = 0; zone < zones.size(); ++zone) {
      if (zones.Lists(zone, part.first)) return true;
    }
    return false;
  });
}

// Each zone gives all it has before the next is asked.
void Take(const ZoneDemand& demand, ZoneMask chosen, CommunityZones& zones) {
  for (auto [resource, left] : demand) {
    for (size_t zone : ZonesIn{chosen}) {
      const int64_t part = std::min(left, zones.Available(zone, resource));
      zones.Take(zone, resource, part);
      left -= part;
    }
  }
}

// Over both ways and each zone to itself; with 64 zones a quarter of what FindMask takes for it.
int64_t LeastDistanceOfTwo(const CommunityZones& zones) {
  const std::span<const int> distance = zones.Distance();
  const size_t n = zones.size();
  int least = std::numeric_limits<int>::max();
  for (size_t a = 0; a < n; ++a) {
    for (size_t b = 0; b < a; ++b) {
      least = std::min(least, distance[a * n + a] + distance[a * n + b] + distance[b * n + a] + distance[b * n + b]);
    }
  }
  return least;
}

}  // namespace

NumaSearch::NumaSearch(const CommunityZones& zones) : zones_(zones), steps_(kSteps) {}

std::optional<NumaNeed> NumaSearch::Need(const ZoneDemand& demand) {
  topology::MaskQuery query{.distance = zones_.Distance(), .least = zones_.Least()};
  for (size_t zone = 0; zone < zones_.size(); ++zone) {
    bool lists_all =
        std::all_of(demand.begin(), demand.end(), [&](const auto& part) { return zones_.Lists(zone, part.first); });
    if (lists_all) query.universe |= topology::ZoneBit(zone);
  }
  for (const auto& [resource, amount] : demand) query.sums.push_back({zones_.Row(resource), amount});
  std::optional<int> width = topology::LeastWidth(query.universe, query.sums);
  if (!width) return std::nullopt;

  if (zones_.size() <= kSmall) steps_ = kSteps;
  std::optional<ZoneMask> found;
  for (int count = *width; !found && steps_ > 0; ++count) found = topology::FindMask(query, count, steps_).mask;
  NumaNeed need{found.value_or(query.universe), true};
  if (auto least = LeastDistance(topology::CountZones(need.zones))) need.nearest = Distance(need.zones) <= *least;
  return need;
}

std::optional<int64_t> NumaSearch::LeastDistance(int count) {
  std::optional<int64_t>& least = least_[static_cast<size_t>(count)];
  if (least) return least;
  if (count == 2) return least = LeastDistanceOfTwo(zones_);
  const topology::MaskQuery any{
      .universe = topology::AllZones(zones_.size()), .distance = zones_.Distance(), .least = zones_.Least()};
  if (zones_.size() <= kSmall) steps_ = kSteps;
  if (auto best = topology::FindMask(any, count, steps_).mask) least = Distance(*best);
  return least;
}

int64_t NumaSearch::Distance(ZoneMask mask) const {
  return topology::DistanceWithin(zones_.Distance(), zones_.size(), mask);
}

int LeastNumaStep(int zones, bool nearest, int max_numa_nodes) {
  const int step = kBest / max_numa_nodes;
  return std::max(0, kBest - zones * step + (nearest ? step / 2 : 0));
}

int LeastNumaScore(const CommunityPod& pod, kubelet::TopologyManagerScope scope, int max_numa_nodes,
                   CommunityZones& zones) {
  const bool whole = scope == kubelet::TopologyManagerScope::kPod;
  NumaSearch search(zones);
  int most = 0;
  bool nearest = true;
  for (const ZoneDemand& demand : whole ? std::span(&pod.pod, 1) : std::span(pod.containers)) {
    if (!AnyListed(zones, demand)) continue;
    std::optional<NumaNeed> need = search.Need(demand);
    if (!need) return 0;
    most = std::max(most, topology::CountZones(need->zones));
    nearest = nearest && need->nearest;
    Take(demand, need->zones, zones);
  }
  return most == 0 ? kBest : LeastNumaStep(most, nearest, max_numa_nodes);
}

}  // namespace huygens::scoring
