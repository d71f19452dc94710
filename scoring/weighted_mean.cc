#include "scoring/weighted_mean.h"

#include <algorithm>
#include <cmath>

namespace huygens::scoring {

void WeightedMean::Add(std::unique_ptr<Term> term, double weight) {
  if (weight > 0) terms_.push_back({std::move(term), weight, {}});
}

void WeightedMean::Mean(const PodQuery& pod, const cluster::State& state, std::span<const NodeIndex> nodes,
                        std::span<double> means) {
  for (Weighted& each : terms_) {
    each.said.assign(nodes.size(), kNoOpinion);
    each.term->Score(pod, state, nodes, each.said);
  }
  for (size_t i = 0; i < nodes.size(); ++i) {
    double sum = 0;
    double weights = 0;
    for (const Weighted& each : terms_) {
      if (std::isnan(each.said[i])) continue;
      sum += each.weight * std::clamp(static_cast<double>(each.said[i]), 0.0, 1.0);
      weights += each.weight;
    }
    means[i] = weights > 0 ? sum / weights : 0;
  }
}

int64_t WeightedMean::Scale(double mean) const {
  return static_cast<int64_t>(std::floor(mean * static_cast<double>(max_score_) + 0.5));
}

}  // namespace huygens::scoring
