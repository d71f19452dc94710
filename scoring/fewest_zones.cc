#include "scoring/fewest_zones.h"

#include <algorithm>

namespace huygens::scoring {

float FewestZonesScore(const topology::ZoneSet& zones) {
  if (zones.count == 0) return 0;
  double few = 1.0 / zones.count;
  double fewer_by_one_more = 1.0 / (zones.count + 1);
  double far = zones.count == 1 ? 0 : std::clamp((zones.MeanDistance() - 10) / (255 - 10), 0.0, 1.0);
  return static_cast<float>(few - far * (few - fewer_by_one_more));
}

void FewestZones::Score(const PodQuery& pod, const cluster::State&, std::span<const NodeIndex> nodes,
                        std::span<float> scores) const {
  if (pod.zones.AsksNothing()) {
    std::fill(scores.begin(), scores.end(), kNoOpinion);
    return;
  }
  topology::ZoneOffers offers;
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (zones_.Mode(nodes[i]) != topology::NodeMode::kManaged) {
      scores[i] = kNoOpinion;
      continue;
    }
    if (zones_.SurelyFitsOne(nodes[i], pod.zones, pod.now)) {
      scores[i] = 1;
      continue;
    }
    bool one_zone = zones_.OneZone(nodes[i], pod.zones);
    zones_.Offer(nodes[i], one_zone, pod.now, offers);
    auto zones = topology::SelectZones(offers, pod.zones.amounts, one_zone);
    scores[i] = zones ? FewestZonesScore(*zones) : 0;
  }
}

}  // namespace huygens::scoring
