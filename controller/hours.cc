#include "controller/hours.h"

#include <utility>

#include "quota/keys.h"

namespace huygens::controller {
namespace {

using quota::Amounts;

// The budgets of hours that were in force at the last count, so that what was consumed since then is theirs. That they
// were counted selfUsed says; whoever charges for an admission writes status.hard, too.
Amounts CountedBudgets(const cluster::BizGroupQuota& group) {
  Amounts budgets = quota::CashOf(quota::NormalKeys(group.hard));
  if (!group.last_reconcile) return budgets;
  return quota::Masked(quota::Masked(budgets, quota::NormalKeys(group.self_used)),
                       quota::NormalKeys(group.counted_hard));
}

void Publish(const quota::CashLedger& ledger, cluster::BizGroupQuota& group) {
  std::erase_if(group.self_used, [](const auto& entry) { return quota::IsCash(entry.first); });
  for (const auto& [key, budget] : quota::CashOf(quota::NormalKeys(group.hard))) {
    quota::Set(group.self_used, key, Quantity());  // counted, and nothing consumed
  }
  quota::Add(group.self_used, ledger.Published());
  group.exact_hours = ledger.Texts();
}

}  // namespace

Status CountHours(std::span<const CountedPod> pods, std::span<const quota::CashLedger> inherited, Time now,
                  cluster::BizGroupQuota& group) {
  HUYGENS_ASSIGN_OR_RETURN(quota::CashLedger ledger, quota::CashLedger::FromTexts(group.exact_hours));
  const Time since = group.last_reconcile.value_or(group.created.value_or(now));
  const Time until = quota::CountUntil(since, now);
  const Amounts budgets = CountedBudgets(group);
  if (!budgets.empty()) {
    for (const CountedPod& pod : pods) {
      ledger.Accrue(quota::NormalKeys(pod.usage), budgets, quota::SecondsWithin(pod.span, since, until));
    }
  }
  const Amounts all_budgets = quota::CashOf(quota::NormalKeys(group.hard));
  for (const quota::CashLedger& each : inherited) ledger.Add(each, all_budgets);
  Publish(ledger, group);
  group.last_reconcile = until;
  return absl::OkStatus();
}

}  // namespace huygens::controller
