#include "controller/hours.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/controller/groups.h"

namespace huygens::controller {
namespace {

class HoursTest : public testing::Test {
 protected:
  HoursTest() { group_.created = kNow; }

  void Count(Time now) {
    const Status status = CountHours(pods_, inherited_, now, group_);
    EXPECT_TRUE(status.ok()) << status;
    group_.counted_hard = group_.hard;  // as Recount does
  }
  std::string Consumed() const {
    const Quantity* hours = quota::Find(group_.self_used, "cash/limits.cpu");
    return hours ? hours->Canonical() : "unknown";
  }
  // Takes `cores` from `start` on.
  static CountedPod Pod(std::string uid, int64_t cores, Time start, std::optional<Time> end = std::nullopt) {
    Amounts usage;
    quota::Set(usage, "limits.cpu", Quantity::FromInt(cores));
    return {std::move(uid), {start, end}, std::move(usage)};
  }

  cluster::BizGroupQuota group_ = MakeGroup("team", "", {{"cash/limits.cpu", "100"}, {"limits.cpu", "10"}});
  std::vector<CountedPod> pods_;
  std::vector<quota::CashLedger> inherited_;
};

TEST_F(HoursTest, CountsCoresTimesHours) {
  pods_ = {Pod("a", 2, kNow), Pod("b", 3, kNow + hours(1))};
  Count(kNow + hours(2));
  EXPECT_EQ(Consumed(), "7");
  EXPECT_EQ(group_.exact_hours.at("limits.cpu"), "25200000");
  EXPECT_EQ(group_.last_reconcile, kNow + hours(2));
  EXPECT_EQ(quota::Find(group_.self_used, "limits.cpu"), nullptr) << "that is the recount's";
}

TEST_F(HoursTest, ManySmallCountsAddUpToOne) {
  pods_ = {Pod("a", 1, kNow + milliseconds(300))};
  for (int i = 1; i <= 3600; ++i) Count(kNow + milliseconds(i * 1000 + i % 7 * 100));
  EXPECT_EQ(Consumed(), "1");
}

TEST_F(HoursTest, AGroupThatWasNeverCountedIsCountedFromItsCreation) {
  pods_ = {Pod("old", 1, kNow - hours(5)), Pod("new", 1, kNow + hours(1))};
  Count(kNow + hours(3));
  EXPECT_EQ(Consumed(), "5") << "3 + 2";
}

TEST_F(HoursTest, ABudgetOfHoursThatIsNewCountsFromNowOn) {
  group_.hard = Of({{"limits.cpu", "10"}});
  pods_ = {Pod("a", 1, kNow)};
  Count(kNow + hours(1));
  EXPECT_EQ(Consumed(), "unknown");
  group_.hard = Of({{"cash/limits.cpu", "100"}});
  Count(kNow + hours(5));
  EXPECT_EQ(Consumed(), "0") << "counted, and nothing consumed";
  Count(kNow + hours(6));
  EXPECT_EQ(Consumed(), "1");
}

TEST_F(HoursTest, ABudgetThatIsTakenAwayAndGivenAgainKeepsWhatWasConsumed) {
  pods_ = {Pod("a", 1, kNow)};
  Count(kNow + hours(1));
  const Amounts budget = std::exchange(group_.hard, {});
  Count(kNow + hours(2));
  EXPECT_EQ(Consumed(), "1");
  group_.hard = budget;  // nothing had to be written for hours
  Count(kNow + hours(30));
  EXPECT_EQ(Consumed(), "1") << "of the time without a budget nothing";
  Count(kNow + hours(31));
  EXPECT_EQ(Consumed(), "2");
}

TEST_F(HoursTest, AClockThatGoesBackCountsNothingTwice) {
  pods_ = {Pod("a", 1, kNow)};
  Count(kNow + hours(2));
  Count(kNow + hours(1));
  EXPECT_EQ(Consumed(), "2");
  EXPECT_EQ(group_.last_reconcile, kNow + hours(2));
  Count(kNow + hours(3));
  EXPECT_EQ(Consumed(), "3");
}

TEST_F(HoursTest, AnotherLeaderGoesOnWhereTheStatusEnds) {
  pods_ = {Pod("a", 1, kNow)};
  Count(kNow + hours(1));
  // The next one's clock is a minute behind, and it saw the pod end while nobody led.
  pods_ = {Pod("a", 1, kNow, kNow + hours(2))};
  Count(kNow + hours(1) - minutes(1));
  EXPECT_EQ(Consumed(), "1");
  Count(kNow + hours(4));
  EXPECT_EQ(Consumed(), "2");
}

TEST_F(HoursTest, APodThatWentBetweenTwoCountsIsCountedToItsEndAndOnce) {
  pods_ = {Pod("a", 4, kNow)};
  Count(kNow + hours(1));
  pods_ = {Pod("a", 4, kNow, kNow + minutes(75))};
  Count(kNow + hours(2));
  EXPECT_EQ(Consumed(), "5");
  Count(kNow + hours(3));
  EXPECT_EQ(Consumed(), "5");
}

TEST_F(HoursTest, OneThatCameAndWentBetweenTwoCountsIsCounted) {
  Count(kNow + hours(1));
  pods_ = {Pod("a", 6, kNow + minutes(70), kNow + minutes(80))};
  Count(kNow + hours(2));
  EXPECT_EQ(Consumed(), "1");
}

TEST_F(HoursTest, OneThatStartsInTheFutureCountsNothing) {
  pods_ = {Pod("a", 6, kNow + hours(5))};
  Count(kNow + hours(1));
  EXPECT_EQ(Consumed(), "0");
}

TEST_F(HoursTest, WhatDeletedChildrenConsumedStays) {
  pods_ = {Pod("a", 1, kNow)};
  inherited_ = {*quota::CashLedger::FromTexts({{"limits.cpu", "7200000"}, {"limits.memory", "9"}})};
  Count(kNow + hours(1));
  EXPECT_EQ(Consumed(), "3");
  EXPECT_EQ(group_.exact_hours.size(), 1u) << "of memory it has no budget of hours";
}

TEST_F(HoursTest, AnUnreadableLedgerChangesNothing) {
  group_.exact_hours = {{"limits.cpu", "a lot"}};
  const auto before = group_.exact_hours;
  EXPECT_FALSE(CountHours(pods_, {}, kNow + hours(1), group_).ok());
  EXPECT_EQ(group_.exact_hours, before);
  EXPECT_FALSE(group_.last_reconcile);
}

// However often and at whatever times it is counted, in the end it is what one count says.
RC_GTEST_PROP(Hours, AddUpHoweverTheyAreCut, (const std::vector<uint16_t>& moments)) {
  const cluster::BizGroupQuota fresh = [] {
    auto group = MakeGroup("team", "", {{"cash/limits.cpu", "1"}});
    group.created = kNow;
    return group;
  }();
  std::vector<CountedPod> pods;
  const int count = *rc::gen::inRange(0, 5);
  for (int i = 0; i < count; ++i) {
    CountedPod pod{std::to_string(i), {kNow + milliseconds(*rc::gen::inRange(-40000, 70000)), std::nullopt}, {}};
    if (*rc::gen::arbitrary<bool>()) pod.span.end = pod.span.start + milliseconds(*rc::gen::inRange(0, 60000));
    quota::Set(pod.usage, "limits.cpu", Quantity::FromMilli(*rc::gen::inRange(1, 5000)));
    pods.push_back(std::move(pod));
  }
  cluster::BizGroupQuota often = fresh, once = fresh;
  for (uint16_t moment : moments) {
    RC_ASSERT(CountHours(pods, {}, kNow + milliseconds(moment), often).ok());
    often.counted_hard = often.hard;
  }
  const Time end = kNow + seconds(70);
  RC_ASSERT(CountHours(pods, {}, end, often).ok());
  RC_ASSERT(CountHours(pods, {}, end, once).ok());
  RC_ASSERT(often.exact_hours == once.exact_hours);
  RC_ASSERT(often.self_used == once.self_used);
}

}  // namespace
}  // namespace huygens::controller
