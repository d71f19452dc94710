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

void QuotaCheck::Run(const PodQuery& pod, const cluster::State&, Candidates& nodes) const {
  const Reason verdict = ReasonOf(pod.quota.outcome);
  if (verdict == Reason::kFits && !pod.models.Any()) return;
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (verdict != Reason::kFits) {
      nodes.Reject(i, verdict);
    } else if (!pod.models.Accept(nodes.node(i))) {
      nodes.Reject(i, Reason::kQuotaOtherModel);
    }
  }
}

}  // namespace huygens::policy
