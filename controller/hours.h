// What a group consumed of its budgets of hours since they were last counted: usage times whole seconds, pod by pod,
// kept exactly in status.exactHours and published in status.selfUsed. What is counted and until when are written in one
// status write, so that whoever counts next, of whatever instance, goes on where it ended: nothing is counted twice or
// skipped. Hours that were counted do not go back, nor does the time until which they were, but where the budget comes
// anew each period (spec.cashPolicy): then only what the present period consumed counts, less what earlier ones left
// over, whenever and however often it was counted meanwhile. Pure; times come in.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>

#include "base/status.h"
#include "controller/observed.h"

namespace huygens::controller {

// Writes exactHours, the hours of selfUsed, carriedHours, hoursSince and lastReconcileTime into `group`, as of `now`. `pods` are those that run
// or ended since lastReconcileTime; others add nothing.
//
// A group that was never counted is counted from its creation; a budget of hours that is new in a group that was, from
// now on. What was consumed of a budget that is no more stays, so that taking it away and giving it again mints no
// hours. `inherited` are the ledgers of children that were deleted: what they consumed stays with their parent. Called
// before Recount, which says which budget was counted.
//
// Of a period that ends a group leaves over what it did not consume of its budget less what its children were given of
// it, as status.used says: what they leave is theirs.
//
// Fails where exactHours cannot be read or the time zone of spec.cashPolicy is unknown, and then changes nothing.
Status CountHours(std::span<const CountedPod> pods, std::span<const quota::CashLedger> inherited, Time now,
                  cluster::BizGroupQuota& group);

// What a group that was never counted begins with: `exact_hours` of one of its name that was counted until `until` and
// deleted. Where a period began since then, only what the present one consumed stays. Fails as CountHours does.
Status ResumeHours(const std::map<std::string, std::string>& exact_hours, Time until, cluster::BizGroupQuota& group);

// When a period begins next, so that the hours are to be counted then; nothing where budgets do not come anew.
std::optional<Time> NextPeriod(const cluster::BizGroupQuota& group, Time now);

}  // namespace huygens::controller
