#include "recommendations/target_status.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/duration_text.h"
#include "base/text.h"
#include "json/document.h"
#include "recommendation_api/amounts.h"
#include "recommendations/targets.h"

namespace huygens::recommendations {

namespace {

using recommend::Decision;
using recommend::kResources;
using recommend::PoolPolicy;
using recommend::Resource;
using recommend::Source;
using recommendation_api::Amounts;
using recommendation_api::AmountText;
using recommendation_api::Condition;
using recommendation_api::Dimension;
using recommendation_api::RecommendationStatus;
using recommendation_api::Used;

constexpr std::string_view kTrue = "True", kFalse = "False";

std::optional<Used> UsedOf(const recommend::UsageModel& model) {
  if (model.samples() == 0) return std::nullopt;
  constexpr std::array<double, 3> kShares = {0.5, 0.95, 1};
  std::array<double, 3> values{};
  model.histogram().Percentiles(kShares, values);
  // What is written has microseconds.
  const auto cut = [](Time time) { return Time(std::chrono::floor<std::chrono::microseconds>(time)); };
  return Used{.model = model.Value(),
              .p50 = values[0],
              .p95 = values[1],
              .most = values[2],
              .samples = model.samples(),
              .first = cut(*model.first()),
              .last = cut(*model.last())};
}

// What would be asked for if this type alone decided, however young the history is.
std::optional<Decision> WouldBe(const PodShape& shape, PoolPolicy policy, PoolPolicy::Type type,
                                const recommend::Recommendation& model) {
  if (type == PoolPolicy::Type::kStatic && !policy.static_factor[0] && !policy.static_factor[1]) return std::nullopt;
  if (type == PoolPolicy::Type::kDynamic && !model.ready) return std::nullopt;
  policy.type = type;
  policy.min_history = Duration::zero();
  policy.stale_after = Duration::max();
  policy.memory = policy.memory || type == PoolPolicy::Type::kDynamic;
  recommend::PodRequests pod = shape.AsWritten();
  pod.pinned = pod.opted_out = false;
  return recommend::WouldDecide(pod, policy, &model);
}

std::optional<int64_t> RequestIn(const std::optional<Decision>& decision, size_t container, size_t resource) {
  if (!decision || decision->source[resource] == Source::kNone) return std::nullopt;
  return decision->containers[container].requests[resource];
}

std::optional<int64_t> Plus(const std::optional<int64_t>& a, const std::optional<int64_t>& b) {
  if (!a) return b;
  return b ? SaturatingAdd(*a, *b) : *a;
}

struct Sums {
  std::optional<int64_t> original, requested, fixed, recommended, limit;
  bool unlimited = false;

  void Add(const Sums& other) {
    original = Plus(original, other.original);
    requested = Plus(requested, other.requested);
    fixed = Plus(fixed, other.fixed);
    recommended = Plus(recommended, other.recommended);
    limit = Plus(limit, other.limit);
    unlimited = unlimited || !other.limit;
  }
  Amounts Text(Resource resource) const {
    return {AmountText(resource, original), AmountText(resource, requested), AmountText(resource, fixed),
            AmountText(resource, recommended), unlimited ? std::string() : AmountText(resource, limit)};
  }
};

void AddAmounts(const PodShape& shape, const PoolPolicy& policy, const recommend::Recommendation& model,
                RecommendationStatus& status) {
  const std::optional<Decision> fixed = WouldBe(shape, policy, PoolPolicy::Type::kStatic, model);
  const std::optional<Decision> fitted = WouldBe(shape, policy, PoolPolicy::Type::kDynamic, model);
  recommend::PerResource<Sums> pod;
  for (size_t i = 0; i < shape.containers.size(); ++i) {
    const PodContainer& container = shape.containers[i];
    recommend::PerResource<Sums> of_it;
    for (size_t r = 0; r < kResources; ++r) {
      of_it[r] = {container.original[r], container.requested[r], RequestIn(fixed, i, r), RequestIn(fitted, i, r),
                  container.limit[r]};
      pod[r].Add(of_it[r]);
    }
    status.containers.push_back({container.name, of_it[0].Text(Resource::kCpu), of_it[1].Text(Resource::kMemory)});
  }
  status.pod_cpu = pod[0].Text(Resource::kCpu);
  status.pod_memory = pod[1].Text(Resource::kMemory);
}

Condition ReadyOf(const recommend::Recommendation& model, bool measuring, std::string_view gone) {
  const auto is = [](std::string_view status, std::string_view reason, std::string_view message) {
    return Condition{std::string(recommendation_api::kReady), std::string(status), std::string(reason),
                     std::string(message), std::nullopt};
  };
  if (gone == kWorkloadGone) return is(kFalse, gone, "there is no such workload any more");
  if (gone == kTemplateGone) return is(kFalse, gone, "the template that it was made by is gone");
  if (gone == kNotSelected) return is(kFalse, gone, "no template selects its pods any more");
  if (model.ready) return is(kTrue, "Measured", "");
  if (!measuring) return is(kFalse, "Loading", "what is stored of its history is being looked for");
  return is(kFalse, "NoSamples", "no use of CPU and memory has been measured yet");
}

Condition EffectiveOf(const recommend::Recommendation& model, const PoolPolicy& policy, std::string_view gone) {
  Condition condition{std::string(recommendation_api::kEffective), std::string(kFalse), "", "", std::nullopt};
  if (!gone.empty() || !model.ready) {
    condition.reason = "NotReady";
  } else if (model.history < policy.min_history) {
    condition.reason = "TooYoung";
    condition.message = Concat("less than ", DurationText(policy.min_history), " of history");
  } else if (model.age > policy.stale_after) {
    condition.reason = "Stale";
    condition.message = Concat("the last sample is older than ", DurationText(policy.stale_after));
  } else {
    condition.status = kTrue;
    condition.reason = "Effective";
  }
  return condition;
}

std::string_view Explain(Decision::Reason reason) {
  using enum Decision::Reason;
  switch (reason) {
    case kApplied:
      return "";
    case kNoRecommendation:
      return "nothing has been measured yet";
    case kRecommendationNotEffective:
      return "there is too little history, or the last sample is too old";
    case kPoolDisabled:
      return "its pool is off";
    case kOptedOut:
      return "its pods opt out, by the annotation huygens.dev/overcommit-allowed";
    case kQueryOnly:
      return "its pool has autoApply off: values can be asked for, no pod is changed";
    case kGuaranteedKept:
      return "its pods are Guaranteed or their CPUs are pinned, and stay as they are written";
  }
  return "";
}

Condition AppliedOf(const TargetState& target, const settings::OvercommitPools& pools, const PoolPolicy& policy,
                    const recommend::Recommendation& model, std::string_view gone) {
  Condition condition{std::string(recommendation_api::kApplied), std::string(kFalse), "", "", std::nullopt};
  const auto say = [&](std::string_view reason, std::string_view message) {
    condition.reason = reason;
    condition.message = message;
    return condition;
  };
  if (!gone.empty()) return say(gone, "");
  if (target.target.dimension == Dimension::kNamespace) return say("ByWorkload", "each workload's pool decides");
  const settings::PoolConfiguration* pool = pools.Of(target.target.namespace_name, target.shape->labels);
  if (pool == nullptr) return say("NoPool", "its pods are in no pool of the configuration");
  const Decision decision = recommend::Decide(target.shape->AsWritten(), policy, model.ready ? &model : nullptr);
  const bool report = pools.configuration().mode == settings::OvercommitMode::kReport;
  if (decision.reason == Decision::Reason::kQueryOnly && report && pool->auto_apply) {
    return say("ReportOnly", "overcommit.mode is report: no pod is changed");
  }
  const bool fitted = std::ranges::find(decision.source, Source::kDynamic) != decision.source.end();
  const bool fixed = std::ranges::find(decision.source, Source::kStatic) != decision.source.end();
  if (!fitted && !fixed) {
    if (decision.reason == Decision::Reason::kApplied) return say("NothingToLower", "its pods ask for nothing");
    return say(Name(decision.reason), Explain(decision.reason));
  }
  condition.status = kTrue;
  return say(fitted ? "Dynamic" : "Static", Explain(decision.reason));
}

// To nine digits: whoever keeps the object may change the last ones.
double Shortened(double value) {
  if (value <= 0) return value;
  const double scale = std::pow(10.0, 8 - std::floor(std::log10(value)));
  return std::round(value * scale) / scale;
}

}  // namespace

RecommendationStatus StatusOf(const TargetState& target, const settings::OvercommitPools& pools, Time now,
                              std::string_view gone) {
  RecommendationStatus status;
  const settings::PoolConfiguration* pool =
      target.shape == nullptr ? nullptr : pools.Of(target.target.namespace_name, target.shape->labels);
  const PoolPolicy policy = target.shape == nullptr ? PoolPolicy() : pools.PolicyOf(pool, target.shape->labels);
  if (pool != nullptr) status.pool = pool->name;
  status.pods = static_cast<int64_t>(target.Counting());
  status.cpu = UsedOf(target.history.cpu());
  status.memory = UsedOf(target.history.memory());
  status.confidence = target.history.Confidence();
  const recommend::Recommendation model = target.history.Recommend(now, pool == nullptr || pool->memory_guard);
  if (model.memory_guard > 0) status.memory_guard = AmountText(Resource::kMemory, model.memory_guard);
  const bool one_pod = target.shape != nullptr && target.target.dimension != Dimension::kNamespace;
  if (one_pod) AddAmounts(*target.shape, policy, model, status);
  status.conditions = target.conditions;
  using recommendation_api::SetCondition;
  SetCondition(status.conditions, ReadyOf(model, target.measuring, gone), now);
  SetCondition(status.conditions, EffectiveOf(model, policy, gone), now);
  if (target.shape != nullptr) {
    SetCondition(status.conditions, AppliedOf(target, pools, policy, model, gone), now);
  } else if (!gone.empty()) {
    SetCondition(status.conditions,
                 {std::string(recommendation_api::kApplied), std::string(kFalse), std::string(gone), "", std::nullopt},
                 now);
  }
  return status;
}

uint64_t DigestOf(const RecommendationStatus& status) {
  RecommendationStatus still = status;
  still.pods = 0;
  still.confidence = 0;
  for (std::optional<Used>* each : {&still.cpu, &still.memory}) {
    if (*each) *each = Used{.model = Shortened((*each)->model), .first = std::nullopt, .last = std::nullopt};
  }
  for (Condition& each : still.conditions) each.last_transition.reset();
  const uint64_t digest = recommendation_api::StableHash(EncodeJson(still));
  return digest == 0 ? 1 : digest;  // 0 is "there is none"
}

uint64_t OutlineOf(RecommendationStatus status) {
  for (std::optional<Used>* each : {&status.cpu, &status.memory}) {
    if (*each) (*each)->model = 0;
  }
  status.memory_guard.clear();
  status.pod_cpu.recommended.clear();
  status.pod_memory.recommended.clear();
  for (recommendation_api::ContainerAmounts& each : status.containers) {
    each.cpu.recommended.clear();
    each.memory.recommended.clear();
  }
  return DigestOf(status);
}

}  // namespace huygens::recommendations
