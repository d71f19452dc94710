#include "real_capacity/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "tests/real_capacity/one_zone.h"

namespace huygens::real_capacity {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

class PlanTest : public testing::Test, public OneZone {};

TEST_F(PlanTest, WritesWhatTheFormulaGivesWithItsTime) {
  Say(2.5);
  const Plan plan = Look();
  EXPECT_TRUE(plan.write);
  ASSERT_EQ(plan.zones.size(), 1u);
  EXPECT_EQ(plan.zones[0].zone, "node0");
  EXPECT_THAT(plan.zones[0].attributes,
              ElementsAre(Pair("offline_capacity", "5500m"), Pair("offline_capacity_updated", FormatRfc3339(now))));
}

TEST_F(PlanTest, WritesNothingWhereNothingIsKnown) {
  EXPECT_FALSE(Look().write);
  Fail();
  EXPECT_FALSE(Look().write);
  EXPECT_THAT(Look().findings, IsEmpty());
}

TEST_F(PlanTest, IsAtRestWhileNothingMoves) {
  Say(2);
  Write();
  for (int i = 0; i < 3; ++i) {
    Pass(seconds(30));
    Say(2);
    EXPECT_FALSE(Look().write) << i;
    EXPECT_EQ(Found(), Outcome::kCurrent);
  }
}

TEST_F(PlanTest, AChangeWithinTheStepIsNone) {
  rules.attributes[0].step = 500;
  Say(2);
  Write();
  Pass(seconds(90));
  Say(2.5);
  EXPECT_EQ(Found(), Outcome::kCurrent);
  Say(2.501);
  EXPECT_EQ(Found(), Outcome::kWrite);
  Say(1.499);
  EXPECT_EQ(Found(), Outcome::kWrite);
}

TEST_F(PlanTest, AnAmountThatStaysIsWrittenAgainForItsTime) {
  Say(2);
  Write();
  Pass(rules.refresh - seconds(1));
  Say(2);
  EXPECT_FALSE(Look().write);
  Pass(seconds(1));
  EXPECT_TRUE(Look().write);
  Write();
  EXPECT_EQ(zone.attributes[1].second, FormatRfc3339(now - seconds(1))) << "the facts are of a second ago";
  Pass(rules.refresh);
  EXPECT_FALSE(Look().write) << "a source that says nothing newer has nothing to refresh";
  Say(2);
  EXPECT_TRUE(Look().write);
  Write();
  EXPECT_EQ(zone.attributes[1].second, FormatRfc3339(now));
  rules.refresh = Duration::zero();
  Pass(minutes(60));
  Say(2);
  EXPECT_FALSE(Look().write) << "never, where nobody asks for it";
}

TEST_F(PlanTest, AnObjectIsWrittenOnceInAPeriod) {
  Say(2);
  Write();
  Pass(seconds(20));
  Say(6);
  const Plan plan = Look();
  EXPECT_FALSE(plan.write);
  EXPECT_EQ(plan.again, seconds(40));
  EXPECT_EQ(plan.findings[0].outcome, Outcome::kHeld);
  written.reset();  // another leader
  EXPECT_EQ(Look().again, seconds(40)) << "it goes by what is written";
  Pass(seconds(40));
  EXPECT_TRUE(Look().write);
}

TEST_F(PlanTest, NobodyWaitsForAClockThatIsAhead) {
  Say(2);
  Write();
  zone.attributes[1].second = FormatRfc3339(now + minutes(60));
  written.reset();
  Pass(seconds(1));
  Say(6);
  EXPECT_TRUE(Look().write);
}

TEST_F(PlanTest, AJumpIsMadeInSteps) {
  rules.attributes[0].rise = 1000;
  rules.attributes[0].fall = 3000;
  Say(6);
  Write();
  EXPECT_EQ(Stored(), "2");
  for (const char* next : {"3", "4", "5"}) {
    Pass(minutes(1));
    Say(0);
    EXPECT_THAT(Look().findings[0].why, HasSubstr("a jump to 8 is made in steps"));
    Write();
    EXPECT_EQ(Stored(), next);
  }
  Pass(minutes(1));
  Say(8);
  Write();
  EXPECT_EQ(Stored(), "2");
  Pass(minutes(1));
  Say(8);
  Write();
  EXPECT_EQ(Stored(), "0");
}

TEST_F(PlanTest, ASourceThatFailsLeavesWhatIsWrittenWithItsTime) {
  Say(2);
  Write();
  const Attributes before = zone.attributes;
  for (int i = 0; i < 100; ++i) {
    Pass(minutes(5));
    Fail();
    EXPECT_FALSE(Look().write);
    EXPECT_EQ(Found(), Outcome::kStale);
  }
  EXPECT_EQ(zone.attributes, before);
}

TEST_F(PlanTest, AVanishedSeriesIsBelievedAfterSoManyGoodAnswers) {
  Say(2);
  Write();
  for (int i = 1; i < 3; ++i) {
    Pass(minutes(1));
    SayOfOthers();
    EXPECT_EQ(Found(), Outcome::kAbsent) << i;
    EXPECT_FALSE(Look().write);
  }
  Pass(minutes(1));
  Fail();
  EXPECT_EQ(Found(), Outcome::kStale);
  for (int i = 1; i < 3; ++i) {
    SayOfOthers();
    EXPECT_EQ(Found(), Outcome::kAbsent) << "the failure begins the count anew";
  }
  SayOfOthers();
  const Plan plan = Look();
  EXPECT_TRUE(plan.write);
  EXPECT_EQ(plan.findings[0].outcome, Outcome::kRemove);
  EXPECT_THAT(plan.zones, IsEmpty());
}

TEST_F(PlanTest, WhatSomebodyElseWroteIsNeverRemoved) {
  Say(2);
  Write();
  zone.ours.clear();
  Pass(minutes(10));
  for (int i = 0; i < 10; ++i) SayOfOthers();
  EXPECT_FALSE(Look().write);
}

TEST_F(PlanTest, WhatIsOfNoRuleIsGivenUp) {
  Say(2);
  Write();
  zone.attributes.emplace_back("power_watts", "400");
  zone.attributes.emplace_back("power_watts_updated", FormatRfc3339(now));
  zone.attributes.emplace_back("memoryGroup", "node-0");
  zone.ours.insert({"power_watts", "power_watts_updated"});
  Pass(minutes(1));
  const Plan plan = Look();
  EXPECT_TRUE(plan.write);
  ASSERT_EQ(plan.zones.size(), 1u);
  EXPECT_THAT(plan.zones[0].attributes,
              ElementsAre(Pair("offline_capacity", "6"), Pair("offline_capacity_updated", testing::_)));
}

TEST_F(PlanTest, AZoneThatIsNoneAnyMoreIsGivenUp) {
  Say(2);
  Write();
  zone.counts = false;
  Pass(minutes(1));
  Say(2);
  const Plan plan = Look();
  EXPECT_TRUE(plan.write);
  EXPECT_THAT(plan.zones, IsEmpty());
}

TEST_F(PlanTest, WhatCannotBeIsRefusedAndKept) {
  Say(2);
  Write();
  const Attributes before = zone.attributes;
  rules.attributes[0].most = 7000;
  Pass(minutes(10));
  for (const double value : {9.0, std::nan(""), HUGE_VAL, -1e300}) {
    Say(value);
    EXPECT_EQ(Found(), Outcome::kRefused) << value;
    EXPECT_FALSE(Look().write) << value;
  }
  EXPECT_THAT(Look().findings[0].why, HasSubstr("more than can be written"));
  Say(0.5);
  EXPECT_THAT(Look().findings[0].why, "the formula gives 7500m, more than the 7 that are believed");
  Say(8.5);
  EXPECT_THAT(Look().findings[0].why, HasSubstr("max(0, ...)"));
  facts[0].Take({.status = absl::OkStatus(), .at = now, .facts = {{"worker", 0, 1}, {"worker", 0, 2}}});
  EXPECT_EQ(Found(), Outcome::kRefused);
  EXPECT_EQ(zone.attributes, before);
}

TEST_F(PlanTest, AWriteForOneAttributeKeepsTheOthersAsTheyAre) {
  facts.emplace_back("watts", false);
  const auto names = FormulaNames(std::vector<std::string>{"busy", "watts"});
  rules.attributes.push_back(
      {.name = "power_watts", .formula = *Formula::Parse("watts / 2", names), .unit = Unit::kNumber});
  Say(2);
  facts[1].Take({.status = absl::OkStatus(), .at = now, .facts = {{"worker", kWholeNode, 401}}});
  Write();
  EXPECT_THAT(zone.attributes, testing::Contains(Pair("power_watts", "200.5")));
  const std::string then = FormatRfc3339(now);
  Pass(minutes(1));
  facts[1].Take({.status = Unavailable("down"), .at = now, .facts = {}});
  Say(3);
  Write();
  EXPECT_THAT(zone.attributes,
              ElementsAre(Pair("offline_capacity", "5"), Pair("offline_capacity_updated", FormatRfc3339(now)),
                          Pair("power_watts", "200.5"), Pair("power_watts_updated", then)));
}

TEST(Amounts, AreTextsThatReadBack) {
  EXPECT_EQ(AmountText(5500, Unit::kCpu), "5500m");
  EXPECT_EQ(AmountText(5000, Unit::kCpu), "5");
  EXPECT_EQ(AmountText(5500, Unit::kNumber), "5.5");
  EXPECT_EQ(AmountText(5050, Unit::kNumber), "5.05");
  EXPECT_EQ(AmountText(5, Unit::kNumber), "0.005");
  EXPECT_EQ(AmountText(0, Unit::kNumber), "0");
  EXPECT_EQ(ParseAmount("lots"), std::nullopt);
}

RC_GTEST_PROP(AmountProperty, ReadsBack, (bool cpu)) {
  const auto amount = *rc::gen::inRange<int64_t>(0, int64_t{1} << 53);
  RC_ASSERT(ParseAmount(AmountText(amount, cpu ? Unit::kCpu : Unit::kNumber)) == amount);
}

// Whatever the sources do: never two writes within a period, no write moves an amount further than it may, what is
// written comes of an answer that could be used, and its time never says that it is newer than that.
RC_GTEST_PROP(PlanProperty, HoldsItsPromises, ()) {
  OneZone one;
  one.rules.attributes[0].step = *rc::gen::inRange<int64_t>(0, 2000);
  if (*rc::gen::arbitrary<bool>()) one.rules.attributes[0].rise = *rc::gen::inRange<int64_t>(1, 3000);
  if (*rc::gen::arbitrary<bool>()) one.rules.attributes[0].fall = *rc::gen::inRange<int64_t>(1, 3000);
  std::optional<Time> last_write;
  std::optional<Time> last_good;
  int64_t wanted = 0;
  for (int i = 0; i < 60; ++i) {
    one.Pass(seconds(*rc::gen::inRange(1, 60)));
    const int what = *rc::gen::inRange(0, 6);
    if (what == 0) {
      one.Fail();
    } else if (what == 1) {
      one.SayOfOthers();
    } else {
      const int busy = *rc::gen::inRange(0, 9);
      one.Say(busy);
      last_good = one.now;
      wanted = (8 - busy) * 1000;
    }
    if (*rc::gen::inRange(0, 10) == 0) {  // another leader, who knows only what is written
      one.written.reset();
      last_write.reset();
    }
    const Plan plan = one.Look();
    if (!plan.write) continue;
    const auto before = ParseAmount(one.Stored());
    const bool was_there = !one.Stored().empty();
    if (last_write && !plan.zones.empty()) RC_ASSERT(one.now - *last_write >= one.rules.period);
    one.Write();
    last_write = one.now;
    if (one.Stored().empty()) {
      RC_ASSERT(was_there);
      continue;
    }
    RC_ASSERT(last_good.has_value());
    const int64_t after = *ParseAmount(one.Stored());
    RC_ASSERT(ParseRfc3339(one.zone.attributes[1].second).value() <= *last_good);
    if (!was_there) {
      RC_ASSERT(after == wanted);
      continue;
    }
    if (one.rules.attributes[0].rise) RC_ASSERT(after - *before <= *one.rules.attributes[0].rise);
    if (one.rules.attributes[0].fall) RC_ASSERT(*before - after <= *one.rules.attributes[0].fall);
    RC_ASSERT(std::abs(after - wanted) <= std::abs(*before - wanted));
  }
}

}  // namespace
}  // namespace huygens::real_capacity
