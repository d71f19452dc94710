#include "scoring/least_numa.h"

#include <algorithm>

#include "topology/mask_search.h"

namespace huygens::scoring {

namespace {

using topology::ZoneMask;
using topology::ZonesIn;

constexpr int kBest = 100;
constexpr int kSteps = 2048;  // for the zones of a container, and again for the nearest of that number

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

}  // namespace

std::optional<NumaNeed> ZonesNeeded(const CommunityZones& zones, const ZoneDemand& demand) {
  topology::MaskQuery query;
  query.distance = zones.Distance();
  for (size_t zone = 0; zone < zones.size(); ++zone) {
    bool lists_all =
        std::all_of(demand.begin(), demand.end(), [&](const auto& part) { return zones.Lists(zone, part.first); });
    if (lists_all) query.universe |= topology::ZoneBit(zone);
  }
  for (const auto& [resource, amount] : demand) query.sums.push_back({zones.Row(resource), amount});
  std::optional<int> width = topology::LeastWidth(query.universe, query.sums);
  if (!width) return std::nullopt;

  int steps = kSteps;
  std::optional<ZoneMask> found;
  for (int count = *width; !found && steps > 0; ++count) found = topology::FindMask(query, count, steps).mask;
  NumaNeed need{found.value_or(query.universe), true};

  topology::MaskQuery any;
  any.universe = topology::AllZones(zones.size());
  any.distance = query.distance;
  steps = kSteps;
  if (auto best = topology::FindMask(any, topology::CountZones(need.zones), steps).mask) {
    auto within = [&](ZoneMask mask) { return topology::DistanceWithin(query.distance, zones.size(), mask); };
    need.nearest = within(need.zones) <= within(*best);
  }
  return need;
}

int LeastNumaStep(int zones, bool nearest, int max_numa_nodes) {
  const int step = kBest / max_numa_nodes;
  return std::max(0, kBest - zones * step + (nearest ? step / 2 : 0));
}

int LeastNumaScore(const CommunityPod& pod, topology::TopologyManagerScope scope, int max_numa_nodes,
                   CommunityZones& zones) {
  const bool whole = scope == topology::TopologyManagerScope::kPod;
  int most = 0;
  bool nearest = true;
  for (const ZoneDemand& demand : whole ? std::span(&pod.pod, 1) : std::span(pod.containers)) {
    if (!AnyListed(zones, demand)) continue;
    std::optional<NumaNeed> need = ZonesNeeded(zones, demand);
    if (!need) return 0;
    most = std::max(most, topology::CountZones(need->zones));
    nearest = nearest && need->nearest;
    Take(demand, need->zones, zones);
  }
  return most == 0 ? kBest : LeastNumaStep(most, nearest, max_numa_nodes);
}

}  // namespace huygens::scoring
