#include "scoring/fewest_zones.h"

#include <algorithm>
#include <array>

#include "policy/zones_asked.h"
#include "scoring/registry.h"

namespace huygens::scoring {

float FewestZonesScore(const topology::ZoneSet& zones) {
  if (zones.count < 2) return static_cast<float>(zones.count);
  double few = 1.0 / zones.count;
  double fewer_by_one_more = 1.0 / (zones.count + 1);
  double far = std::clamp((zones.MeanDistance() - 10) / (255 - 10), 0.0, 1.0);
  return static_cast<float>(few - far * (few - fewer_by_one_more));
}

void FewestZones::Score(const PodQuery& pod, const cluster::Prepared*, const cluster::State& state,
                        std::span<const NodeIndex> nodes, std::span<float> scores) const {
  std::ranges::fill(scores, kNoOpinion);
  const auto lost = [&](size_t i) { return state.TopologyLost(nodes[i]); };
  std::array<std::optional<topology::ZoneSet>, topology::NodeKinds::kLongestStretch> taken;
  kinds_.InStretches(nodes, lost, [&](const topology::NodeZones& kind, bool lost, size_t first, size_t end) {
    const topology::PreparedPod* prepared = lost ? nullptr : policy::ZonesAsked(pod, kind);
    if (prepared == nullptr) return;
    kind.ZonesTaken(*prepared, nodes.subspan(first, end - first), pod.now, taken);
    for (size_t i = first; i < end; ++i) {
      const std::optional<topology::ZoneSet>& zones = taken[i - first];
      if (!zones) {
        scores[i] = 0;
      } else if (zones->count == 1) {
        scores[i] = 1;
      } else if (zones->count > 1) {
        scores[i] = FewestZonesScore(*zones);
      }
    }
  });
}

TermEntry FewestZonesEntry() {
  return {
      .name = "FewestZones",
      .about = "fewer zones, then nearer zones",
      .make = [](const Sources& from) -> std::unique_ptr<Term> { return std::make_unique<FewestZones>(from.nodes); }};
}

}  // namespace huygens::scoring
