#include "recommend/decision.h"

#include <algorithm>

namespace huygens::recommend {

namespace {

using Amounts = std::vector<std::optional<int64_t>>;

// What each container asked for at first.
Amounts OriginalsOf(const PodRequests& pod, size_t resource) {
  Amounts originals;
  for (const ContainerRequests& container : pod.containers) {
    const std::optional<int64_t>& request = container.requests[resource];
    const std::optional<Recorded>& recorded = container.recorded[resource];
    originals.push_back(request && recorded && *request == recorded->applied ? recorded->original : request);
  }
  return originals;
}

int64_t SumOf(const Amounts& amounts) {
  int64_t sum = 0;
  for (const std::optional<int64_t>& amount : amounts) sum += amount.value_or(0);
  return sum;
}

Amounts ByFactor(const Amounts& originals, int64_t factor, const Rounding& rounding, int64_t guard) {
  Amounts amounts = originals;
  for (std::optional<int64_t>& amount : amounts) {
    if (amount) amount = Lower(*amount, factor, rounding);
  }
  return SumOf(amounts) < guard ? Split(guard, originals, rounding) : amounts;
}

Amounts ByModel(const Amounts& originals, double model, int64_t factor, const Rounding& rounding, int64_t guard) {
  const int64_t pod = Correct(model, factor, rounding, SumOf(originals));
  return Split(std::max(pod, guard), originals, rounding);
}

// Why the pod is left as it is, or kApplied.
Decision::Reason Obstacle(const PodRequests& pod, const PoolPolicy& policy) {
  using enum Decision::Reason;
  if (!policy.enabled) return kPoolDisabled;
  if (pod.opted_out) return kOptedOut;
  if (!policy.auto_apply) return kQueryOnly;
  if (pod.pinned || (pod.guaranteed && !policy.lower_guaranteed)) return kGuaranteedKept;
  return kApplied;
}

}  // namespace

bool EnabledByDefault(std::string_view pool) { return pool == "test" || pool == "shared"; }

bool IsEffective(const Recommendation& recommendation, const PoolPolicy& policy) {
  return recommendation.ready && recommendation.history >= policy.min_history &&
         recommendation.age <= policy.stale_after;
}

Decision Decide(const PodRequests& pod, const PoolPolicy& policy, const Recommendation* recommendation) {
  Decision decision{pod.containers, {}, Obstacle(pod, policy)};
  if (decision.reason != Decision::Reason::kApplied) return decision;
  const bool effective = recommendation && IsEffective(*recommendation, policy);
  if (policy.type != PoolPolicy::Type::kStatic && !effective) {
    decision.reason =
        recommendation ? Decision::Reason::kRecommendationNotEffective : Decision::Reason::kNoRecommendation;
  }
  for (size_t resource = 0; resource < kResources; ++resource) {
    const bool memory = resource == static_cast<size_t>(Resource::kMemory);
    if (memory && !policy.memory) continue;
    const Amounts originals = OriginalsOf(pod, resource);
    if (std::none_of(originals.begin(), originals.end(), [](const auto& each) { return each.has_value(); })) continue;
    const int64_t guard = memory && recommendation ? recommendation->memory_guard : 0;
    const Rounding& rounding = policy.rounding[resource];
    Amounts amounts;
    if (policy.type != PoolPolicy::Type::kStatic && effective) {
      const double model = recommendation->model[resource] * UnitsOf(static_cast<Resource>(resource));
      amounts = ByModel(originals, model, policy.expansion[resource], rounding, guard);
      decision.source[resource] = Source::kDynamic;
    } else if (policy.type != PoolPolicy::Type::kDynamic && policy.static_factor[resource]) {
      amounts = ByFactor(originals, *policy.static_factor[resource], rounding, guard);
      decision.source[resource] = Source::kStatic;
    } else {
      continue;
    }
    for (size_t i = 0; i < amounts.size(); ++i) {
      if (!amounts[i]) continue;
      decision.containers[i].requests[resource] = amounts[i];
      decision.containers[i].recorded[resource] = Recorded{*originals[i], *amounts[i]};
    }
  }
  return decision;
}

Decision WouldDecide(const PodRequests& pod, PoolPolicy policy, const Recommendation* recommendation) {
  policy.enabled = policy.auto_apply = policy.lower_guaranteed = true;
  return Decide(pod, policy, recommendation);
}

std::string_view Name(Source source) {
  switch (source) {
    case Source::kNone:
      return "none";
    case Source::kStatic:
      return "static";
    case Source::kDynamic:
      return "dynamic";
  }
  return "";
}

std::string_view Name(Decision::Reason reason) {
  switch (reason) {
    case Decision::Reason::kApplied:
      return "Applied";
    case Decision::Reason::kNoRecommendation:
      return "NoRecommendation";
    case Decision::Reason::kRecommendationNotEffective:
      return "RecommendationNotEffective";
    case Decision::Reason::kPoolDisabled:
      return "PoolDisabled";
    case Decision::Reason::kOptedOut:
      return "OptedOut";
    case Decision::Reason::kQueryOnly:
      return "QueryOnly";
    case Decision::Reason::kGuaranteedKept:
      return "GuaranteedKept";
  }
  return "";
}

}  // namespace huygens::recommend
