#include "quota/tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/quota/groups.h"

namespace huygens::quota {
namespace {

TEST(QuotaTree, AGroupIsOverBudgetWhenMoreIsUsedThanThereIs) {
  struct Case {
    const char* what;
    Amounts hard, charged;
    bool over;
  } cases[] = {
      {"nothing used", Of({{"limits.cpu", "4"}}), {}, false},
      {"nothing used of nothing", Of({{"limits.cpu", "0"}}), {}, false},
      {"exactly full", Of({{"limits.cpu", "4"}}), Cores(4), false},
      {"beyond", Of({{"limits.cpu", "3999m"}}), Cores(4), true},
      {"beyond in the last of its keys", Of({{"limits.cpu", "4"}, {"limits.cpu.A4", "3"}}), Cores(4, "A4"), true},
      {"what it has no budget of", Of({{"limits.memory", "1"}}), Cores(4), false},
      {"hours are spent, not exceeded", Of({{"cash/limits.cpu", "1"}}), Of({{"cash/limits.cpu", "9"}}), false},
  };
  for (const Case& each : cases) {
    Tree tree;
    cluster::BizGroupQuota team = MakeGroup("team", "", {});
    team.hard = each.hard;
    team.self_used = Of({{"cash/limits.cpu", "9"}});
    tree.Set(team);
    tree.Charge("team", each.charged);
    EXPECT_EQ(tree.Find("team")->OverBudget(), each.over) << each.what;
  }
}

TEST(QuotaTree, ABudgetThatWasHandedOutCountsAsUsedWhenItShrinks) {
  Tree tree;
  tree.Set(MakeGroup("dept", "", {{"limits.cpu", "10"}}));
  tree.Set(MakeGroup("team", "dept", {{"limits.cpu", "10"}}));
  EXPECT_FALSE(tree.Find("dept")->OverBudget()) << "exactly full";
  tree.Set(MakeGroup("dept", "", {{"limits.cpu", "9"}}));
  EXPECT_TRUE(tree.Find("dept")->OverBudget());
  EXPECT_FALSE(tree.Find("team")->OverBudget());
}

class AncestorTest : public testing::Test {
 protected:
  AncestorTest() {
    tree_.Set(MakeGroup("org", "", {{"limits.cpu", "10"}, {"limits.cpu.A4", "4"}}));
    tree_.Set(MakeGroup("dept", "org", {{"limits.cpu", "10"}}));
    tree_.Set(MakeGroup("team", "dept", {{"limits.cpu", "10"}}));
  }
  std::string Why(const Amounts& increase, bool only_hours = false) {
    const Group* group = tree_.Find("team");
    EXPECT_TRUE(tree_.Standing(group).fits());
    return Text(tree_.CheckAbove(*group, increase, only_hours), "team");
  }
  Tree tree_;
};

TEST_F(AncestorTest, WhatOneHandedOutToTheLastIsNotTooMuch) { EXPECT_EQ(Why(Cores(1)), ""); }

TEST_F(AncestorTest, OneThatGaveAwayMoreThanItHasKeepsPodsOff) {
  tree_.Set(MakeGroup("dept", "org", {{"limits.cpu", "9"}}));
  EXPECT_EQ(Why(Cores(1)),
            "quota bizrq/team: bizrq/dept above it is over its budget: limits.cpu used 10 of 9, "
            "requested 1");
  tree_.Set(MakeGroup("dept", "org", {{"limits.cpu", "10"}}));
  EXPECT_EQ(Why(Cores(1)), "");
}

TEST_F(AncestorTest, HoweverFarAboveAndByWhomever) {
  tree_.Charge("org", Cores(2));
  EXPECT_EQ(Why(Cores(1)),
            "quota bizrq/team: bizrq/org above it is over its budget: limits.cpu used 12 of 10, "
            "requested 1");
  tree_.Set(MakeGroup("dept", "org", {{"limits.cpu", "9"}}));
  EXPECT_THAT(Why(Cores(1)), testing::HasSubstr("bizrq/dept above it")) << "the nearest";
  tree_.Set(MakeGroup("dept", "org", {{"limits.cpu", "10"}}));
  tree_.Release("org", Cores(2));
  EXPECT_EQ(Why(Cores(1)), "");
}

TEST_F(AncestorTest, OnlyForKeysThatThePodTouches) {
  tree_.Charge("org", Of({{"limits.cpu.A4", "5"}}));
  EXPECT_EQ(Why(Cores(1)), "");
  EXPECT_EQ(Why(Cores(0, "A4")), "");
  EXPECT_EQ(Why(Cores(1, "A4")),
            "quota bizrq/team: bizrq/org above it is over its budget: limits.cpu.A4 used 5 of 4, requested 1");
}

TEST_F(AncestorTest, OfHoursOnlyWhatWasHandedOutCounts) {
  auto org = MakeGroup("org", "", {{"cash/limits.cpu", "100"}});
  org.self_used = Of({{"cash/limits.cpu", "90"}});
  auto dept = MakeGroup("dept", "org", {{"cash/limits.cpu", "100"}});
  dept.self_used = Of({{"cash/limits.cpu", "500"}});
  tree_.Set(org);
  tree_.Set(dept);
  EXPECT_EQ(Why(Cores(1)), "") << "running pods go on, which is no gift";
  dept.hard = Of({{"cash/limits.cpu", "101"}});
  tree_.Set(dept);
  EXPECT_EQ(Why(Cores(1), true),
            "quota bizrq/team: bizrq/org above it is over its budget: cash/limits.cpu used 101 of 100");
  tree_.Remove("dept");
  tree_.Set(MakeGroup("dept", "", {}));
  EXPECT_EQ(Why(Cores(1), true), "");
}

TEST_F(AncestorTest, WhereAWebhookHoldsBudgetsOnlyHoursAreHeldHere) {
  tree_.Charge("org", Cores(2));
  EXPECT_EQ(Why(Cores(1), true), "");
}

TEST_F(AncestorTest, AChainThatChangesIsFollowedAnew) {
  tree_.Charge("org", Cores(2));
  ASSERT_NE(Why(Cores(1)), "");
  tree_.Set(MakeGroup("dept", "", {{"limits.cpu", "10"}}));
  EXPECT_EQ(Why(Cores(1)), "");
  tree_.Remove("org");
  tree_.Release("org", Cores(2));
  EXPECT_EQ(Why(Cores(1)), "");
}

TEST(QuotaTree, AGroupThatIsNotThereIsNotOverBudget) {
  Tree tree;
  tree.Charge("team", Cores(4));  // a pod names it
  EXPECT_FALSE(tree.groups().at("team").OverBudget());
}

}  // namespace
}  // namespace huygens::quota
