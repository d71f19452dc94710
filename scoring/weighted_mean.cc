#include "scoring/weighted_mean.h"

#include <algorithm>
#include <cmath>

namespace huygens::scoring {

void WeightedMean::Add(std::unique_ptr<Term> term, double weight) {
  if (weight > 0) terms_.push_back({std::move(term), weight, {}});
}

void WeightedMean::Prepare(const PodQuery& pod, const cluster::State& state) const {
  for (const Weighted& each : terms_) each.term->PreparedFor(pod, state);
}

void WeightedMean::Mean(const PodQuery& pod, const cluster::State& state, std::span<const NodeIndex> nodes,
                        std::span<double> means) {
  for (Weighted& each : terms_) {
    each.said.assign(nodes.size(), kNoOpinion);
    each.term->Ask(pod, state, nodes, each.said);
  }
  std::fill(means.begin(), means.end(), 0.0);
  weights_.assign(nodes.size(), 0);
  for (const Weighted& each : terms_) {
    for (size_t i = 0; i < nodes.size(); ++i) {
      if (std::isnan(each.said[i])) continue;
      means[i] += each.weight * std::clamp(static_cast<double>(each.said[i]), 0.0, 1.0);
      weights_[i] += each.weight;
    }
  }
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (weights_[i] > 0) means[i] /= weights_[i];
  }
}

}  // namespace huygens::scoring
