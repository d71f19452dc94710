#include "policy/quota_check.h"

namespace huygens::policy {

namespace {

Reason ReasonOf(quota::Outcome outcome) {
  switch (outcome) {
    case quota::Outcome::kFits:
      break;
    case quota::Outcome::kNoGroup:
      return Reason::kQuotaNoGroup;
    case quota::Outcome::kTerminating:
    case quota::Outcome::kFrozen:
    case quota::Outcome::kUnknownStatus:
      return Reason::kQuotaGroupClosed;
    case quota::Outcome::kMustSpecify:
    case quota::Outcome::kNegative:
      return Reason::kQuotaAmountNeeded;
    case quota::Outcome::kCashExhausted:
      return Reason::kQuotaHoursSpent;
    case quota::Outcome::kExceeded:
      return Reason::kQuotaExceeded;
  }
  return Reason::kFits;
}

}  // namespace

void QuotaCheck::Run(const PodQuery& pod, const cluster::State& state, Candidates& nodes) const {
  const Reason verdict = ReasonOf(pod.quota.outcome);
  const cluster::QuotaLabels* labels = pod.pod.quota.get();
  const bool names_model =
      labels && !(labels->cpu_model.empty() && labels->gpu_model.empty() && labels->memory_model.empty());
  if (verdict == Reason::kFits && !names_model) return;
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (verdict != Reason::kFits) {
      nodes.Reject(i, verdict);
    } else if (!nodes.Rejected(i) && !quota::HasModels(*state.GetNode(nodes.node(i)), *labels, models_)) {
      nodes.Reject(i, Reason::kQuotaOtherModel);
    }
  }
}

}  // namespace huygens::policy
