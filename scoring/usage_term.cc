#include "scoring/usage_term.h"

#include <array>
#include <cmath>

namespace huygens::scoring {

UsageTerm::UsageTerm(const usage::Account& usage, const ResourceVector& weights) : usage_(usage) {
  for (const usage::ResourceOptions& each : usage.options().resources) {
    weights_.push_back(weights.Has(each.resource) ? static_cast<double>(weights.Get(each.resource)) : 1);
  }
}

void UsageTerm::Score(const PodQuery& pod, const cluster::State&, std::span<const NodeIndex> nodes,
                      std::span<float> scores) const {
  const size_t resources = pod.usage.resources.size();
  const float* share = pod.UsageShares(usage_, nodes).data();
  std::array<UsageShare, usage::kMaxResources> shares;
  for (size_t i = 0; i < nodes.size(); ++i) {
    size_t known = 0;
    for (size_t r = 0; r < resources; ++r, ++share) {
      if (!std::isnan(*share)) shares[known++] = {*share, weights_[r]};
    }
    scores[i] = known == 0 ? kNoOpinion : static_cast<float>(ScoreOf(std::span(shares).first(known)));
  }
}

}  // namespace huygens::scoring
