#include "recommend/metrics_front.h"

#include <algorithm>
#include <limits>

namespace huygens::recommend {

namespace {

// The least use of which `percent` is the whole percent.
int64_t LeastUseFor(int64_t percent, int64_t amount) {
  const __int128 least = (static_cast<__int128>(percent) * amount + 99) / 100;
  return static_cast<int64_t>(std::min<__int128>(least, std::numeric_limits<int64_t>::max()));
}

}  // namespace

std::vector<int64_t> Spread(int64_t total, std::span<const int64_t> weights) {
  __int128 all = 0;
  for (const int64_t weight : weights) all += weight;
  std::vector<int64_t> parts;
  __int128 upto = 0;
  int64_t given = 0;
  for (const int64_t weight : weights) {
    upto += all == 0 ? 1 : weight;
    const auto due = static_cast<int64_t>(total * upto / (all == 0 ? static_cast<__int128>(weights.size()) : all));
    parts.push_back(due - given);
    given = due;
  }
  return parts;
}

StatusOr<FrontAnswer> AnswerFor(const ScaleQuestion& question, Basis basis) {
  HUYGENS_ASSIGN_OR_RETURN(const ScaleSums wanted_sums, SumUp(question, basis));
  HUYGENS_ASSIGN_OR_RETURN(const ScaleSums native_sums, SumUp(question, Basis::kRequest));
  HUYGENS_ASSIGN_OR_RETURN(const ScaleOutcome wanted, ScaleOutcomeOf(question, wanted_sums, wanted_sums.ready_usage));
  HUYGENS_ASSIGN_OR_RETURN(const ScaleOutcome native, ScaleOutcomeOf(question, native_sums, native_sums.ready_usage));

  // The percent that is shown, with the count that follows from it, comes first. Where pods are missing, the same count
  // may need the percent that decides, with requests in place of what they are assumed to use.
  const int64_t shown = LeastUseFor(wanted.answer.percent, native_sums.ready_amount);
  std::vector<int64_t> candidates = {shown};
  HUYGENS_ASSIGN_OR_RETURN(const ScaleOutcome at_shown, ScaleOutcomeOf(question, native_sums, shown));
  if (at_shown.with_missing) {
    candidates.push_back(
        std::max<int64_t>(0, LeastUseFor(wanted.deciding_percent, at_shown.all_amount) - at_shown.assumed_usage));
  }
  FrontAnswer answer{{}, false, native.answer, wanted.answer};
  int64_t total = shown;
  for (const int64_t candidate : candidates) {
    HUYGENS_ASSIGN_OR_RETURN(const ScaleOutcome outcome, ScaleOutcomeOf(question, native_sums, candidate));
    if (outcome.answer.replicas != wanted.answer.replicas) continue;
    total = candidate;
    answer.exact = true;
    break;
  }

  std::vector<int64_t> measured;
  measured.reserve(native_sums.ready.size());
  for (const size_t i : native_sums.ready) measured.push_back(std::max<int64_t>(0, *native_sums.usage[i]));
  const std::vector<int64_t> parts = Spread(total, measured);
  answer.usage.resize(question.pods.size());
  for (size_t i = 0; i < parts.size(); ++i) answer.usage[native_sums.ready[i]] = parts[i];
  return answer;
}

}  // namespace huygens::recommend
