// When the periods of budgets of hours begin (spec.cashPolicy). Periods are those of a calendar in a time zone: a day
// may have 23 or 25 hours where clocks are put forward or back, and begins where the clock jumps over its first moment
// with the jump. Months that lack the anchor's day begin with their last day. Pure but for the tables of time zones of
// the machine (tzdata), which are constant; times come in and are cut to whole seconds.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/time/civil_time.h"
#include "absl/time/time.h"
#include "base/status.h"
#include "base/time.h"
#include "cluster/biz_group_quota.h"

namespace huygens::quota {

class Periods {
 public:
  // Fails where the machine has no time zone of this name.
  static StatusOr<Periods> Of(const cluster::CashPolicy& policy);

  // When the period that `time` is in began: `time` itself if one begins then.
  Time StartOf(Time time) const;
  // When the next one begins.
  Time NextAfter(Time time) const;
  // The beginnings in (since, until], in order; of very many the last kMost.
  static constexpr size_t kMost = 1000;
  std::vector<Time> StartsWithin(Time since, Time until) const;

 private:
  Periods(cluster::CashPolicy::Period period, absl::CivilSecond anchor, absl::TimeZone zone)
      : period_(period), anchor_(anchor), zone_(zone) {}

  absl::Time Begin(int64_t index) const;  // of the period so many after the anchor's; never before that of the last
  int64_t IndexOf(absl::Time time) const;

  cluster::CashPolicy::Period period_;
  absl::CivilSecond anchor_;
  absl::TimeZone zone_;
};

// Whether budgets of both come anew at the same moments.
bool SamePeriods(const cluster::CashPolicy& a, const cluster::CashPolicy& b);

}  // namespace huygens::quota
