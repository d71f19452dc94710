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

inline float FewestZones::ScoreManaged(const PodQuery& pod, NodeIndex node, topology::ZoneOffers& scratch) const {
  if (pod.zones.AsksNothing()) return kNoOpinion;
  if (zones_.SurelyFitsOne(node, pod.zones, pod.now)) return 1;
  auto zones = zones_.Choose(node, pod.zones, pod.now, scratch);
  return zones ? FewestZonesScore(*zones) : 0;
}

float FewestZones::ScoreKubelet(const PodQuery& pod, NodeIndex node) const {
  if (!kubelet_.Predicts(node) || pod.kubelet().asks_nothing) return kNoOpinion;
  if (pod.kubelet().one_container && kubelet_.SurelyFitsOne(node, pod.kubelet())) return 1;
  const kubelet::Prediction prediction = kubelet_.Predict(node, pod.kubelet());
  if (!prediction.Admitted()) return 0;
  const topology::ZoneSet zones = kubelet::ZonesTaken(kubelet_.Free(node), prediction.charge);
  return zones.count == 0 ? kNoOpinion : FewestZonesScore(zones);
}

void FewestZones::Score(const PodQuery& pod, const cluster::State& state, std::span<const NodeIndex> nodes,
                        std::span<float> scores) const {
  topology::ZoneOffers scratch;
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (state.TopologyLost(nodes[i])) {
      scores[i] = kNoOpinion;
      continue;
    }
    switch (zones_.Mode(nodes[i])) {
      case topology::NodeMode::kManaged:
        scores[i] = ScoreManaged(pod, nodes[i], scratch);
        break;
      case topology::NodeMode::kKubelet:
        scores[i] = ScoreKubelet(pod, nodes[i]);
        break;
      case topology::NodeMode::kNoTopology:
      case topology::NodeMode::kUnusable:
        scores[i] = kNoOpinion;
    }
  }
}

}  // namespace huygens::scoring
