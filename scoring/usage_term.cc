#include "scoring/usage_term.h"

#include <array>
#include <cmath>

#include "policy/pod_usage.h"

namespace huygens::scoring {

UsageTerm::UsageTerm(const usage::Account& usage, const ResourceVector& weights) : usage_(usage) {
  for (const usage::ResourceOptions& each : usage.options().resources) {
    weights_.push_back(weights.Has(each.resource) ? static_cast<double>(weights.Get(each.resource)) : 1);
  }
}

void UsageTerm::Score(const PodQuery& pod, const cluster::Prepared*, const cluster::State&,
                      std::span<const NodeIndex> nodes, std::span<float> scores) const {
  const policy::PodUsage& adds = policy::UsageOf(pod, usage_);
  const size_t resources = adds.demand.resources.size();
  const float* share = adds.Shares(usage_, nodes, pod.now).data();
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
