#include "resizing/candidates.h"

#include <algorithm>

#include "resizing/resize_plan.h"

namespace huygens::resizing {
namespace {

using recommendation_api::Dimension;
using recommendations::PodContainer;
using recommendations::PodEntry;
using recommendations::Targets;
using recommendations::TargetState;

std::optional<recommend::Recommendation> RecommendationOf(const PodEntry& pod, const recommend::PoolPolicy& policy,
                                                          bool memory_guard, Time now) {
  std::optional<recommend::Recommendation> narrowest;
  for (const Dimension dimension : {Dimension::kPod, Dimension::kWorkload, Dimension::kNamespace}) {
    for (const TargetState* target : pod.targets) {
      // What was not stored yet nobody has seen, and one that is given up is none.
      if (target->target.dimension != dimension || target->uid.empty() || target->gone_since || target->deletion)
        continue;
      recommend::Recommendation model = target->history.Recommend(now, memory_guard);
      if (recommend::IsEffective(model, policy)) return model;
      if (!narrowest) narrowest = model;
    }
  }
  return narrowest;
}

bool WouldAskForLess(const PodEntry& pod, const PodTerms& terms) {
  const recommend::Decision decision = recommend::Decide(pod.shape->AsWritten(), terms.pool.policy,
                                                         terms.recommendation ? &*terms.recommendation : nullptr);
  for (size_t i = 0; i < pod.shape->containers.size(); ++i) {
    const PodContainer& container = pod.shape->containers[i];
    for (size_t resource = 0; resource < recommend::kResources; ++resource) {
      if (decision.source[resource] == recommend::Source::kNone || !container.requested[resource]) continue;
      const std::optional<int64_t>& wanted = decision.containers[i].requests[resource];
      if (wanted && WorthTheStep(*container.requested[resource], *wanted)) return true;
    }
  }
  return false;
}

}  // namespace

std::optional<PodTerms> TermsOf(const Targets& targets, const PodEntry& pod, Time now) {
  const settings::OvercommitPools& pools = targets.pools();
  const settings::PoolConfiguration* pool = pools.Of(pod.namespace_name(), pod.shape->labels);
  if (pool == nullptr || !pool->in_place) return std::nullopt;
  PodTerms terms;
  terms.pool.name = pool->name;
  terms.pool.policy = pools.PolicyOf(pool, pod.shape->labels);
  terms.pool.basis = settings::BasisName(pool->hpa_basis);
  terms.pool.keep_whole_cpus = pool->whole_cpus == settings::GuaranteedPods::kKeep;
  terms.recommendation = RecommendationOf(pod, terms.pool.policy, pool->memory_guard, now);
  return terms;
}

std::vector<Candidate> CandidatesOf(const Targets& targets, Time now) {
  std::vector<Candidate> candidates;
  targets.ForEachPod([&](const PodEntry& pod) {
    if (!pod.counts) return;
    const std::optional<PodTerms> terms = TermsOf(targets, pod, now);
    if (terms && WouldAskForLess(pod, *terms)) candidates.push_back({std::string(pod.key()), std::string(pod.uid())});
  });
  std::ranges::sort(candidates, {}, &Candidate::key);
  return candidates;
}

}  // namespace huygens::resizing
