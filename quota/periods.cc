#include "quota/periods.h"

#include <algorithm>
#include <chrono>
#include <string>

#include "base/text.h"

namespace huygens::quota {
namespace {

using cluster::CashPolicy;
using std::chrono::floor;
using std::chrono::seconds;

constexpr int64_t kSecondsOfDay = 86400;

absl::Time ToAbslTime(Time time) { return absl::FromUnixSeconds(floor<seconds>(time).time_since_epoch().count()); }

// A Time ends in 2262.
Time FromAbslTime(absl::Time time) {
  constexpr auto kFirst = std::chrono::ceil<seconds>(Time::min()), kLast = floor<seconds>(Time::max());
  const int64_t whole = absl::ToUnixSeconds(time);
  return Time(seconds(std::clamp<int64_t>(whole, kFirst.time_since_epoch().count(), kLast.time_since_epoch().count())));
}

int64_t FloorDiv(int64_t dividend, int64_t divisor) {
  return dividend / divisor - (dividend % divisor != 0 && (dividend < 0) != (divisor < 0));
}

// Names as the tables have them, and nothing that the library would take for the path of a file.
bool IsZoneName(std::string_view name) {
  constexpr size_t kMostBytes = 64;
  const auto is_part_of_name = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '+' ||
           c == '-' || c == '/';
  };
  return !name.empty() && name.size() <= kMostBytes && name.front() != '/' && name != "localtime" &&
         std::all_of(name.begin(), name.end(), is_part_of_name);
}

absl::CivilSecond DefaultAnchor(CashPolicy::Period period) {
  constexpr int kAMonday = 5;
  return absl::CivilSecond(1970, 1, period == CashPolicy::Period::kWeek ? kAMonday : 1);
}

}  // namespace

StatusOr<Periods> Periods::Of(const CashPolicy& policy) {
  absl::TimeZone zone;
  if (!IsZoneName(policy.time_zone) || !absl::LoadTimeZone(ToAbsl(policy.time_zone), &zone)) {
    return Invalid(Concat("cashPolicy.timeZone: there is no time zone ", policy.time_zone));
  }
  const absl::CivilSecond anchor =
      policy.anchor ? absl::ToCivilSecond(ToAbslTime(*policy.anchor), zone) : DefaultAnchor(policy.period);
  return Periods(policy.period, anchor, zone);
}

absl::Time Periods::Begin(int64_t index) const {
  if (period_ != CashPolicy::Period::kMonth) {
    const int64_t days = index * (period_ == CashPolicy::Period::kWeek ? 7 : 1);
    return absl::FromCivil(anchor_ + days * kSecondsOfDay, zone_);
  }
  const absl::CivilMonth month = absl::CivilMonth(anchor_) + index;
  const absl::CivilDay last = absl::CivilDay(month + 1) - 1;
  return absl::FromCivil(absl::CivilSecond(month.year(), month.month(), std::min(anchor_.day(), last.day()),
                                           anchor_.hour(), anchor_.minute(), anchor_.second()),
                         zone_);
}

int64_t Periods::IndexOf(absl::Time time) const {
  const absl::CivilSecond local = absl::ToCivilSecond(time, zone_);
  int64_t index = 0;
  if (period_ == CashPolicy::Period::kMonth) {
    index = absl::CivilMonth(local) - absl::CivilMonth(anchor_);
  } else {
    index = FloorDiv(local - anchor_, kSecondsOfDay * (period_ == CashPolicy::Period::kWeek ? 7 : 1));
  }
  while (Begin(index) > time) --index;
  while (Begin(index + 1) <= time) ++index;
  return index;
}

Time Periods::StartOf(Time time) const { return FromAbslTime(Begin(IndexOf(ToAbslTime(time)))); }

Time Periods::NextAfter(Time time) const { return FromAbslTime(Begin(IndexOf(ToAbslTime(time)) + 1)); }

std::vector<Time> Periods::StartsWithin(Time since, Time until) const {
  std::vector<Time> starts;
  Time start = StartOf(until);
  while (start > floor<seconds>(since) && starts.size() < kMost) {
    starts.push_back(start);
    start = StartOf(start - seconds(1));
  }
  std::reverse(starts.begin(), starts.end());
  return starts;
}

bool SamePeriods(const CashPolicy& a, const CashPolicy& b) {
  return a.period == b.period && a.anchor == b.anchor && a.time_zone == b.time_zone;
}

}  // namespace huygens::quota
