#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "controller/hours.h"
#include "controller/recount.h"
#include "tests/controller/groups.h"

namespace huygens::controller {
namespace {

using cluster::CashPolicy;

const Time kMonday = *ParseRfc3339("2026-11-23T00:00:00Z");
constexpr auto kWeek = hours(24 * 7);

// A group with 100 core-hours a week, made on a Monday.
class HoursOfPeriodsTest : public testing::Test {
 protected:
  HoursOfPeriodsTest() {
    group_.created = kMonday;
    group_.cash_policy = CashPolicy();
  }

  void Count(Time now) {
    const Status status = CountHours(pods_, inherited_, now, group_);
    EXPECT_TRUE(status.ok()) << status;
    group_.counted_hard = group_.hard;  // as Recount does
  }
  // Core-hours used, and those that earlier periods left.
  std::string Figures() const {
    const Quantity* used = quota::Find(group_.self_used, "cash/limits.cpu");
    const Quantity* carried = quota::Find(group_.carried_hours, "cash/limits.cpu");
    return Concat(used ? used->Canonical() : "unknown", " used",
                  carried ? Concat(", ", carried->Canonical(), " left") : "");
  }
  void Run(int64_t cores, Time start, std::optional<Time> end = std::nullopt) {
    CountedPod pod{std::to_string(pods_.size()), {start, end}, {}};
    quota::Set(pod.usage, "limits.cpu", Quantity::FromInt(cores));
    pods_.push_back(std::move(pod));
  }

  cluster::BizGroupQuota group_ = MakeGroup("team", "", {{"cash/limits.cpu", "100"}, {"limits.cpu", "10"}});
  std::vector<CountedPod> pods_;
  std::vector<quota::CashLedger> inherited_;
};

TEST_F(HoursOfPeriodsTest, EachWeekBeginsAnew) {
  Run(1, kMonday + hours(100));
  Count(kMonday + kWeek - seconds(1));
  EXPECT_EQ(Figures(), "67999722223n used");
  EXPECT_EQ(group_.hours_since, kMonday);
  Count(kMonday + kWeek);
  EXPECT_EQ(Figures(), "0 used");
  EXPECT_EQ(group_.hours_since, kMonday + kWeek);
  Count(kMonday + kWeek + hours(5));
  EXPECT_EQ(Figures(), "5 used") << "the pod runs on";
}

TEST_F(HoursOfPeriodsTest, AlsoWhenNobodyCountedFor3Weeks) {
  Run(1, kMonday, kMonday + hours(30));
  Run(2, kMonday + 3 * kWeek - hours(10));
  Count(kMonday + 3 * kWeek + hours(4));
  EXPECT_EQ(Figures(), "8 used");
}

TEST_F(HoursOfPeriodsTest, WhatWasConsumedBeyondTheBudgetIsForgiven) {
  Run(2, kMonday, kMonday + hours(150));
  Count(kMonday + hours(150));
  EXPECT_EQ(Figures(), "300 used");
  Count(kMonday + kWeek);
  EXPECT_EQ(Figures(), "0 used");
}

TEST_F(HoursOfPeriodsTest, WhatIsLeftIsThereInLaterPeriodsUpToTheCap) {
  group_.cash_policy->carry_over = 2;
  Run(1, kMonday, kMonday + hours(40));
  Count(kMonday + kWeek);
  EXPECT_EQ(Figures(), "0 used, 60 left");
  EXPECT_EQ(group_.exact_hours.at("limits.cpu"), "-216000000");
  Count(kMonday + 2 * kWeek);
  EXPECT_EQ(Figures(), "0 used, 160 left");
  Count(kMonday + 3 * kWeek);
  EXPECT_EQ(Figures(), "0 used, 200 left") << "two weeks' budgets at most";

  Run(10, kMonday + 3 * kWeek, kMonday + 3 * kWeek + hours(25));
  Count(kMonday + 3 * kWeek + hours(15));
  EXPECT_EQ(Figures(), "0 used, 50 left") << "what was left goes first";
  Count(kMonday + 3 * kWeek + hours(25));
  EXPECT_EQ(Figures(), "50 used");
  Count(kMonday + 4 * kWeek);
  EXPECT_EQ(Figures(), "0 used, 50 left");
}

TEST_F(HoursOfPeriodsTest, OfWhatChildrenWereGivenNothingIsLeftOver) {
  group_.cash_policy->carry_over = 5;
  group_.used = Of({{"cash/limits.cpu", "70"}});
  group_.self_used = Of({{"cash/limits.cpu", "0"}});
  Count(kMonday + hours(1));
  Count(kMonday + kWeek);
  EXPECT_EQ(Figures(), "0 used, 30 left");
  group_.used = Of({{"cash/limits.cpu", "130"}});  // more than there is
  Count(kMonday + 2 * kWeek);
  EXPECT_EQ(Figures(), "0 used");
}

TEST_F(HoursOfPeriodsTest, ABudgetThatIsNewLeavesNothingOfThePeriodsBefore) {
  group_.cash_policy->carry_over = 5;
  const Amounts budget = std::exchange(group_.hard, Of({{"limits.cpu", "10"}}));
  Count(kMonday + hours(1));
  group_.hard = budget;
  Count(kMonday + 3 * kWeek);
  EXPECT_EQ(Figures(), "0 used");
  Count(kMonday + 4 * kWeek);
  EXPECT_EQ(Figures(), "0 used, 100 left");
}

TEST_F(HoursOfPeriodsTest, WithoutThePolicyNothingIsLeftOverAnyMore) {
  group_.cash_policy->carry_over = 2;
  Count(kMonday + kWeek);
  EXPECT_EQ(Figures(), "0 used, 100 left");
  group_.cash_policy.reset();
  Run(1, kMonday + kWeek);
  Count(kMonday + kWeek + hours(3));
  EXPECT_EQ(Figures(), "3 used");
  EXPECT_FALSE(group_.hours_since);
  Count(kMonday + 3 * kWeek);
  EXPECT_EQ(Figures(), "336 used");
}

TEST_F(HoursOfPeriodsTest, AClockThatGoesBackOverTheBeginningOfAPeriodBeginsItOnce) {
  group_.cash_policy->carry_over = 5;
  Count(kMonday + kWeek + hours(1));
  Count(kMonday + kWeek - hours(1));
  Count(kMonday + kWeek + hours(2));
  EXPECT_EQ(Figures(), "0 used, 100 left");
  EXPECT_EQ(group_.hours_since, kMonday + kWeek);
}

TEST_F(HoursOfPeriodsTest, WhatADeletedChildLeftOverIsNobodys) {
  inherited_ = {*quota::CashLedger::FromTexts({{"limits.cpu", "-7200000"}}),
                *quota::CashLedger::FromTexts({{"limits.cpu", "3600000"}})};
  Count(kMonday + hours(1));
  EXPECT_EQ(Figures(), "1 used");
}

TEST_F(HoursOfPeriodsTest, AnUnknownTimeZoneChangesNothing) {
  group_.cash_policy->time_zone = "Europe/Bonn";
  EXPECT_FALSE(CountHours(pods_, {}, kMonday + hours(1), group_).ok());
  EXPECT_FALSE(group_.last_reconcile);
  EXPECT_FALSE(NextPeriod(group_, kMonday));
}

TEST_F(HoursOfPeriodsTest, SayWhenToCountNext) {
  EXPECT_EQ(NextPeriod(group_, kMonday + hours(5)), kMonday + kWeek);
  group_.cash_policy.reset();
  EXPECT_FALSE(NextPeriod(group_, kMonday));
}

TEST_F(HoursOfPeriodsTest, ThatAPeriodBeginsIsWrittenAtOnce) {
  Count(kMonday + kWeek - hours(1));
  const cluster::BizGroupQuota before = group_;
  Count(kMonday + kWeek - minutes(1));
  EXPECT_EQ(Compare(before, group_), StatusChange::kHours);
  Count(kMonday + kWeek);
  EXPECT_EQ(Compare(before, group_), StatusChange::kFigures);
}

// However often and at whatever times it is counted, in the end it is what one count says.
RC_GTEST_PROP(HoursOfPeriods, AddUpHoweverTheyAreCut, (const std::vector<uint32_t>& moments)) {
  constexpr uint32_t kDays = 40;
  auto fresh = MakeGroup("team", "", {{"cash/limits.cpu", "9"}});
  fresh.created = kMonday + seconds(*rc::gen::inRange(0, 86400));
  CashPolicy policy;
  policy.period = *rc::gen::element(CashPolicy::Period::kDay, CashPolicy::Period::kWeek, CashPolicy::Period::kMonth);
  policy.carry_over = *rc::gen::inRange(0, 4);
  policy.time_zone = *rc::gen::element<std::string>("UTC", "Europe/Berlin", "Australia/Lord_Howe");
  fresh.cash_policy = policy;
  std::vector<CountedPod> pods;
  const int count = *rc::gen::inRange(0, 5);
  for (int i = 0; i < count; ++i) {
    CountedPod pod{std::to_string(i), {kMonday + seconds(*rc::gen::inRange(-86400, 86400 * 40)), std::nullopt}, {}};
    if (*rc::gen::arbitrary<bool>()) pod.span.end = pod.span.start + seconds(*rc::gen::inRange(0, 86400 * 9));
    quota::Set(pod.usage, "limits.cpu", Quantity::FromMilli(*rc::gen::inRange(1, 900)));
    pods.push_back(std::move(pod));
  }
  cluster::BizGroupQuota often = fresh, once = fresh;
  for (const uint32_t moment : moments) {
    RC_ASSERT(CountHours(pods, {}, *fresh.created + seconds(moment % (86400 * kDays)), often).ok());
    often.counted_hard = often.hard;
  }
  const Time end = *fresh.created + hours(24 * kDays);
  RC_ASSERT(CountHours(pods, {}, end, often).ok());
  RC_ASSERT(CountHours(pods, {}, end, once).ok());
  RC_ASSERT(often.exact_hours == once.exact_hours);
  RC_ASSERT(often.self_used == once.self_used);
  RC_ASSERT(often.carried_hours == once.carried_hours);
  RC_ASSERT(often.hours_since == once.hours_since);
}

}  // namespace
}  // namespace huygens::controller
