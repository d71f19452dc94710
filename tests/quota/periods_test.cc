#include "quota/periods.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/quota/groups.h"

namespace huygens::quota {
namespace {

using cluster::CashPolicy;
using Period = CashPolicy::Period;
using std::chrono::hours;
using std::chrono::seconds;

Time At(std::string_view text) { return *ParseRfc3339(text); }

Periods Make(Period period, std::string zone = "UTC", std::string_view anchor = "") {
  CashPolicy policy{.period = period, .time_zone = std::move(zone)};
  if (!anchor.empty()) policy.anchor = At(anchor);
  auto periods = Periods::Of(policy);
  EXPECT_TRUE(periods.ok()) << periods.status();
  return *std::move(periods);
}

std::vector<std::string> Starts(const Periods& periods, std::string_view since, std::string_view until) {
  std::vector<std::string> texts;
  for (const Time start : periods.StartsWithin(At(since), At(until))) texts.push_back(FormatRfc3339(start));
  return texts;
}

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Periods, WithoutAnAnchorTheyAreThoseOfTheCalendar) {
  EXPECT_THAT(Starts(Make(Period::kDay), "2026-02-27T12:00:00Z", "2026-03-01T12:00:00Z"),
              ElementsAre("2026-02-28T00:00:00Z", "2026-03-01T00:00:00Z"));
  EXPECT_THAT(Starts(Make(Period::kWeek), "2026-11-20T00:00:00Z", "2026-12-01T00:00:00Z"),
              ElementsAre("2026-11-23T00:00:00Z", "2026-11-30T00:00:00Z"))
      << "Mondays";
  EXPECT_THAT(Starts(Make(Period::kMonth), "2025-12-31T00:00:00Z", "2026-02-01T00:00:00Z"),
              ElementsAre("2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z"));
}

TEST(Periods, AMomentBelongsToThePeriodThatBeginsThen) {
  const Periods days = Make(Period::kDay);
  EXPECT_THAT(Starts(days, "2026-03-01T00:00:00Z", "2026-03-02T00:00:00Z"), ElementsAre("2026-03-02T00:00:00Z"));
  EXPECT_THAT(Starts(days, "2026-03-01T00:00:00Z", "2026-03-01T23:59:59.9Z"), IsEmpty());
  EXPECT_EQ(FormatRfc3339(days.StartOf(At("2026-03-01T00:00:00Z"))), "2026-03-01T00:00:00Z");
  EXPECT_EQ(FormatRfc3339(days.NextAfter(At("2026-03-01T00:00:00Z"))), "2026-03-02T00:00:00Z");
  EXPECT_THAT(Starts(days, "2026-03-02T00:00:00Z", "2026-03-01T00:00:00Z"), IsEmpty()) << "a clock that went back";
}

TEST(Periods, TheAnchorSaysWhereTheyBeginBeforeAndAfterIt) {
  const Periods weeks = Make(Period::kWeek, "UTC", "2026-11-25T09:30:00Z");  // a Wednesday
  EXPECT_THAT(Starts(weeks, "2026-11-17T00:00:00Z", "2026-12-02T09:30:00Z"),
              ElementsAre("2026-11-18T09:30:00Z", "2026-11-25T09:30:00Z", "2026-12-02T09:30:00Z"));
}

TEST(Periods, AMonthWithoutTheAnchorsDayBeginsWithItsLast) {
  const Periods months = Make(Period::kMonth, "UTC", "2026-01-31T06:00:00Z");
  EXPECT_THAT(Starts(months, "2026-01-31T06:00:00Z", "2026-05-01T00:00:00Z"),
              ElementsAre("2026-02-28T06:00:00Z", "2026-03-31T06:00:00Z", "2026-04-30T06:00:00Z"));
  EXPECT_EQ(FormatRfc3339(months.StartOf(At("2024-03-01T00:00:00Z"))), "2024-02-29T06:00:00Z");
}

TEST(Periods, AreThoseOfTheTimeZone) {
  EXPECT_THAT(Starts(Make(Period::kDay, "Asia/Shanghai"), "2026-11-24T00:00:00Z", "2026-11-24T23:00:00Z"),
              ElementsAre("2026-11-24T16:00:00Z"));
  EXPECT_THAT(Starts(Make(Period::kMonth, "America/New_York"), "2026-06-30T23:00:00Z", "2026-07-01T12:00:00Z"),
              ElementsAre("2026-07-01T04:00:00Z"));
  // The anchor is a moment; the time of day that it is in the zone counts.
  EXPECT_THAT(Starts(Make(Period::kDay, "Asia/Shanghai", "2026-01-01T00:00:00Z"), "2026-11-24T00:00:00Z",
                     "2026-11-25T00:00:00Z"),
              ElementsAre("2026-11-25T00:00:00Z"));
}

TEST(Periods, DaysOfPutForwardAndPutBackClocksHave23And25Hours) {
  const Periods days = Make(Period::kDay, "Europe/Berlin");
  EXPECT_THAT(Starts(days, "2026-03-28T12:00:00Z", "2026-03-31T00:00:00Z"),
              ElementsAre("2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z", "2026-03-30T22:00:00Z"));
  EXPECT_THAT(Starts(days, "2026-10-24T12:00:00Z", "2026-10-26T12:00:00Z"),
              ElementsAre("2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z"));
  // At half past two on the day when there is none, and on the one when there are two.
  const Periods at_night = Make(Period::kDay, "Europe/Berlin", "2026-01-01T01:30:00Z");
  EXPECT_THAT(Starts(at_night, "2026-03-28T12:00:00Z", "2026-03-30T12:00:00Z"),
              ElementsAre("2026-03-29T01:00:00Z", "2026-03-30T00:30:00Z"));
  EXPECT_THAT(Starts(at_night, "2026-10-24T12:00:00Z", "2026-10-26T12:00:00Z"),
              ElementsAre("2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z"))
      << "the first of the two";
}

TEST(Periods, ADayThatWasLeftOutBeginsNoPeriod) {
  // Samoa went from Thursday, 29 December 2011 to Saturday, 31 December.
  EXPECT_THAT(Starts(Make(Period::kDay, "Pacific/Apia"), "2011-12-29T00:00:00Z", "2011-12-31T12:00:00Z"),
              ElementsAre("2011-12-29T10:00:00Z", "2011-12-30T10:00:00Z", "2011-12-31T10:00:00Z"));
}

TEST(Periods, OfVeryManyOnlyTheLastAreTold) {
  const auto starts = Make(Period::kDay).StartsWithin(Time(), At("2026-11-24T00:00:00Z"));
  ASSERT_EQ(starts.size(), Periods::kMost);
  EXPECT_EQ(FormatRfc3339(starts.back()), "2026-11-24T00:00:00Z");
}

TEST(Periods, UnknownTimeZonesAreNamedAndPathsAreNone) {
  for (const char* zone :
       {"Europe/Bonn", "", "localtime", "/etc/localtime", "file:/etc/localtime", "../zoneinfo/UTC"}) {
    const auto periods = Periods::Of({.time_zone = zone});
    ASSERT_FALSE(periods.ok()) << zone;
    EXPECT_EQ(Message(periods.status()), Concat("cashPolicy.timeZone: there is no time zone ", zone));
  }
}

// Whatever the period, the zone and the moment: it lies in its period, whose beginnings follow one another, and those
// within a span are those of its parts.
RC_GTEST_PROP(Periods, PartTheTime, (uint32_t first, uint32_t second)) {
  const Period period = *rc::gen::element(Period::kDay, Period::kWeek, Period::kMonth);
  const std::string zone = *rc::gen::element<std::string>("UTC", "Europe/Berlin", "Asia/Shanghai", "Asia/Kathmandu",
                                                          "America/St_Johns", "Australia/Lord_Howe", "Pacific/Apia");
  CashPolicy policy{.period = period, .time_zone = zone};
  policy.anchor = Time(seconds(*rc::gen::arbitrary<uint32_t>()));
  const Periods periods = *Periods::Of(policy);
  const Time time = Time(seconds(first));
  const Time start = periods.StartOf(time), next = periods.NextAfter(time);
  RC_ASSERT(start <= time);
  RC_ASSERT(time < next);
  RC_ASSERT(periods.StartOf(start) == start);
  RC_ASSERT(periods.StartOf(next) == next);
  RC_ASSERT(periods.StartOf(next - seconds(1)) == start);
  const Time until = time + hours(24 * 200), middle = time + seconds(second % (86400 * 200));
  auto parts = periods.StartsWithin(time, middle);
  const auto rest = periods.StartsWithin(middle, until);
  parts.insert(parts.end(), rest.begin(), rest.end());
  RC_ASSERT(parts == periods.StartsWithin(time, until));
}

}  // namespace
}  // namespace huygens::quota
