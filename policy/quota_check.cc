#include "policy/quota_check.h"

#include "policy/pod_quota.h"
#include "policy/registry.h"

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
    case quota::Outcome::kAncestorOver:
      return Reason::kQuotaAncestorOver;
    case quota::Outcome::kUnknownClaim:
      return Reason::kQuotaClaimUnknown;
    case quota::Outcome::kUnnamedModel:
      return Reason::kQuotaModelNotNamed;
  }
  return Reason::kFits;
}

// Of nodes of one model, where the group would take the pod elsewhere.
Reason ReasonThere(const quota::Verdict& verdict) {
  return verdict.outcome == quota::Outcome::kExceeded ? Reason::kQuotaModelExceeded : ReasonOf(verdict.outcome);
}

}  // namespace

void QuotaCheck::Run(const PodQuery& pod, const cluster::Prepared*, const cluster::State& state,
                     Candidates& nodes) const {
  const PodQuota* said = QuotaOf(pod, groups_, state);
  if (said == nullptr) return;
  const Reason verdict = ReasonOf(said->verdict.outcome);
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (verdict != Reason::kFits) {
      nodes.Reject(i, verdict);
    } else if (said->models.Any() && !said->models.Accept(nodes.node(i))) {
      nodes.Reject(i, Reason::kQuotaOtherModel);
    } else if (const quota::Verdict* there = said->by_model.On(nodes.node(i))) {
      nodes.Reject(i, ReasonThere(*there));
    }
  }
}

CheckEntry QuotaEntry() {
  return {
      .name = "quota",
      .needs = {.quota = true, .budgets = true},
      .make = [](const Sources& from) -> std::unique_ptr<Check> { return std::make_unique<QuotaCheck>(*from.quota); }};
}

}  // namespace huygens::policy
