#include "controller/hours.h"

#include <utility>

#include "quota/keys.h"
#include "quota/periods.h"

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
  group.carried_hours = ledger.Carried();
}

// What of its budgets of hours is for the group itself. `counted`: the budgets that were in force.
Amounts OwnShare(const cluster::BizGroupQuota& group, const Amounts& counted) {
  Amounts handed_out = quota::CashOf(quota::NormalKeys(group.used));
  quota::Subtract(handed_out, quota::CashOf(quota::NormalKeys(group.self_used)));
  Amounts share;
  for (const auto& [key, budget] : counted) {
    Quantity rest = budget;
    const Quantity given = quota::Get(handed_out, key);
    if (given.Sign() > 0) rest.Sub(given);
    quota::Set(share, key, rest.Sign() > 0 ? rest : Quantity());
  }
  return share;
}

}  // namespace

Status CountHours(std::span<const CountedPod> pods, std::span<const quota::CashLedger> inherited, Time now,
                  cluster::BizGroupQuota& group) {
  HUYGENS_ASSIGN_OR_RETURN(quota::CashLedger ledger, quota::CashLedger::FromTexts(group.exact_hours));
  std::optional<quota::Periods> periods;
  if (group.cash_policy) {
    HUYGENS_ASSIGN_OR_RETURN(periods, quota::Periods::Of(*group.cash_policy));
  }
  const Time since = group.last_reconcile.value_or(group.created.value_or(now));
  const Time until = quota::CountUntil(since, now);
  const Amounts budgets = CountedBudgets(group);
  Time counted = since;
  const auto count_until = [&](Time time) {
    if (!budgets.empty()) {
      for (const CountedPod& pod : pods) {
        ledger.Accrue(quota::NormalKeys(pod.usage), budgets, quota::SecondsWithin(pod.span, counted, time));
      }
    }
    counted = time;
  };
  if (periods) {
    const Amounts share = OwnShare(group, budgets);
    for (const Time start : periods->StartsWithin(since, until)) {
      count_until(start);
      ledger.BeginPeriod(share, group.cash_policy->carry_over);
    }
  } else {
    ledger.DropCarried();
  }
  count_until(until);
  const Amounts all_budgets = quota::CashOf(quota::NormalKeys(group.hard));
  for (const quota::CashLedger& each : inherited) ledger.Add(each, all_budgets);
  Publish(ledger, group);
  group.last_reconcile = until;
  group.hours_since = periods ? std::optional(periods->StartOf(until)) : std::nullopt;
  return absl::OkStatus();
}

Status ResumeHours(const std::map<std::string, std::string>& exact_hours, Time until, cluster::BizGroupQuota& group) {
  cluster::BizGroupQuota resumed = group;
  resumed.exact_hours = exact_hours;
  resumed.last_reconcile = until;
  resumed.self_used.clear();  // of no budget it is said that it was counted, so nothing of one is left over
  HUYGENS_RETURN_IF_ERROR(CountHours({}, {}, group.created.value_or(until), resumed));
  group.exact_hours = std::move(resumed.exact_hours);
  return absl::OkStatus();
}

std::optional<Time> NextPeriod(const cluster::BizGroupQuota& group, Time now) {
  if (!group.cash_policy) return std::nullopt;
  const auto periods = quota::Periods::Of(*group.cash_policy);
  return periods.ok() ? std::optional(periods->NextAfter(now)) : std::nullopt;
}

}  // namespace huygens::controller
