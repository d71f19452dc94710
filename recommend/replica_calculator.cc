#include "recommend/replica_calculator.h"

#include <algorithm>
#include <cmath>

namespace huygens::recommend {

namespace {

enum class Group : uint8_t { kReady, kMissing, kUnready, kIgnored };

bool IsUnready(const ScaleQuestion& question, const ScaledPod& pod) {
  if (!pod.ready || !pod.started) return true;
  // While it may still initialize, a sample counts once a whole window of it lies after the last change.
  if (*pod.started + question.cpu_initialization > question.now) {
    return !*pod.ready || pod.metric_time < pod.ready_since + pod.metric_window;
  }
  return !*pod.ready && *pod.started + question.initial_readiness_delay > pod.ready_since;
}

Group GroupOf(const ScaleQuestion& question, const ScaledPod& pod, bool measured) {
  if (pod.deleting || pod.phase == ScaledPod::Phase::kFailed) return Group::kIgnored;
  if (pod.phase == ScaledPod::Phase::kPending) return Group::kUnready;
  if (!measured) return Group::kMissing;
  return question.resource == "cpu" && IsUnready(question, pod) ? Group::kUnready : Group::kReady;
}

// Of all containers, or of the one that is asked about.
std::optional<int64_t> UsageOf(const ScaleQuestion& question, const ScaledPod& pod) {
  if (!pod.has_metric || pod.containers.empty()) return std::nullopt;
  int64_t sum = 0;
  bool found = false;
  for (const ScaledContainer& container : pod.containers) {
    if (!question.container.empty() && container.name != question.container) continue;
    if (!container.usage) return std::nullopt;
    sum += *container.usage;
    found = true;
  }
  return found ? std::optional(sum) : std::nullopt;
}

StatusOr<int64_t> AmountOf(const ScaleQuestion& question, const ScaledPod& pod, Basis basis) {
  if (basis == Basis::kRequest && question.container.empty() && pod.pod_request) return *pod.pod_request;
  int64_t sum = 0;
  for (const ScaledContainer& container : pod.containers) {
    if (!question.container.empty() && container.name != question.container) continue;
    const std::optional<int64_t>& amount = container.amounts[static_cast<size_t>(basis)];
    if (!amount) {
      return Refused(
          Concat("missing request for ", question.resource, " in container ", container.name, " of Pod ", pod.name));
    }
    sum += *amount;
  }
  return sum;
}

bool IsWithinTolerance(const ScaleQuestion& question, double ratio) {
  return 1 - question.tolerance_down <= ratio && ratio <= 1 + question.tolerance_up;
}

// Go's conversion to int32 of what fits.
int64_t PercentOf(int64_t usage, int64_t amount) {
  return static_cast<int32_t>(static_cast<int64_t>(static_cast<__int128>(usage) * 100 / amount));
}

int64_t CountOf(double ratio, size_t pods) {
  return static_cast<int64_t>(std::ceil(ratio * static_cast<double>(pods)));
}

}  // namespace

StatusOr<ScaleSums> SumUp(const ScaleQuestion& question, Basis basis) {
  if (question.target_percent <= 0) return Invalid("the target utilization must be above 0 %");
  ScaleSums sums;
  bool any = false;
  for (const ScaledPod& pod : question.pods) {
    sums.usage.push_back(UsageOf(question, pod));
    any = any || sums.usage.back();
  }
  if (!any) {
    return Unavailable(Concat("unable to get metrics for resource ", question.resource,
                              ": no metrics returned from resource metrics API"));
  }
  for (size_t i = 0; i < question.pods.size(); ++i) {
    const Group group = GroupOf(question, question.pods[i], sums.usage[i].has_value());
    if (group == Group::kReady) sums.ready.push_back(i);
    if (group == Group::kMissing) sums.missing.push_back(i);
    if (group == Group::kUnready) sums.unready.push_back(i);
  }
  if (sums.ready.empty()) {
    return Unavailable("did not receive metrics for targeted pods (pods might be unready)");
  }
  for (const ScaledPod& pod : question.pods) {
    HUYGENS_ASSIGN_OR_RETURN(const int64_t amount, AmountOf(question, pod, basis));
    sums.amounts.push_back(amount);
  }
  for (const size_t i : sums.ready) {
    sums.ready_usage += *sums.usage[i];
    sums.ready_amount += sums.amounts[i];
  }
  if (sums.ready_amount <= 0) return Refused("no metrics returned matched known pods");
  return sums;
}

StatusOr<ScaleOutcome> ScaleOutcomeOf(const ScaleQuestion& question, const ScaleSums& sums, int64_t ready_usage) {
  const auto target = static_cast<double>(question.target_percent);
  ScaleOutcome outcome;
  ScaleAnswer& answer = outcome.answer;
  answer.replicas = question.current_replicas;
  answer.percent = PercentOf(ready_usage, sums.ready_amount);
  answer.average = ready_usage / static_cast<int64_t>(sums.ready.size());
  outcome.deciding_percent = answer.percent;
  const double ratio = static_cast<double>(answer.percent) / target;
  const bool up_with_unready = !sums.unready.empty() && ratio > 1;
  if (!up_with_unready && sums.missing.empty()) {
    if (!IsWithinTolerance(question, ratio)) answer.replicas = CountOf(ratio, sums.ready.size());
    return outcome;
  }
  outcome.with_missing = true;
  outcome.all_amount = sums.ready_amount;
  size_t counted = sums.ready.size();
  if (ratio != 1) {
    const int64_t assumed = ratio < 1 ? std::max<int64_t>(100, question.target_percent) : 0;
    for (const size_t i : sums.missing) {
      outcome.assumed_usage += static_cast<int64_t>(static_cast<__int128>(sums.amounts[i]) * assumed / 100);
      outcome.all_amount += sums.amounts[i];
    }
    counted += sums.missing.size();
  }
  if (up_with_unready) {
    for (const size_t i : sums.unready) outcome.all_amount += sums.amounts[i];
    counted += sums.unready.size();
  }
  outcome.deciding_percent = PercentOf(ready_usage + outcome.assumed_usage, outcome.all_amount);
  const double second = static_cast<double>(outcome.deciding_percent) / target;
  if (IsWithinTolerance(question, second) || (ratio < 1 && second > 1) || (ratio > 1 && second < 1)) return outcome;
  const int64_t replicas = CountOf(second, counted);
  const bool wrong_side =
      (second < 1 && replicas > question.current_replicas) || (second > 1 && replicas < question.current_replicas);
  if (!wrong_side) answer.replicas = replicas;
  return outcome;
}

StatusOr<ScaleAnswer> Replicas(const ScaleQuestion& question, Basis basis) {
  HUYGENS_ASSIGN_OR_RETURN(const ScaleSums sums, SumUp(question, basis));
  HUYGENS_ASSIGN_OR_RETURN(const ScaleOutcome outcome, ScaleOutcomeOf(question, sums, sums.ready_usage));
  return outcome.answer;
}

}  // namespace huygens::recommend
