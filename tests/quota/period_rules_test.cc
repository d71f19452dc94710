// What budgets of hours that come anew each period (spec.cashPolicy) demand of the tree.
#include <gtest/gtest.h>

#include "quota/group_rules.h"
#include "tests/quota/groups.h"

namespace huygens::quota {
namespace {

using cluster::CashPolicy;
using Period = CashPolicy::Period;

cluster::BizGroupQuota Renewed(cluster::BizGroupQuota group, Period period = Period::kWeek) {
  group.cash_policy = CashPolicy{.period = period};
  return group;
}
cluster::BizGroupQuota Org() { return MakeGroup("org", "", {{"cash/limits.cpu", "100"}, {"limits.cpu", "10"}}); }
cluster::BizGroupQuota Team() { return MakeGroup("team", "org", {{"cash/limits.cpu", "40"}, {"limits.cpu", "4"}}); }

constexpr std::string_view kFault =
    "cashPolicy of team needs the same period, anchor and timeZone in its parent org, which limits the same hours";

TEST(PeriodRules, A20_WhatComesAnewInAChildComesAnewInItsParent) {
  Tree tree;
  tree.Set(Org());
  EXPECT_EQ(Message(MayCreate(tree, Renewed(Team()))), Concat("bizrq/team: ", kFault));
  EXPECT_TRUE(MayCreate(tree, Team()).ok());
  tree.Set(Renewed(Org(), Period::kMonth));
  EXPECT_FALSE(MayCreate(tree, Renewed(Team())).ok());
  EXPECT_TRUE(MayCreate(tree, Team()).ok()) << "once and for all of what the parent has each month";
  tree.Set(Renewed(Org()));
  EXPECT_TRUE(MayCreate(tree, Renewed(Team())).ok());
  auto carries = Renewed(Team());
  carries.cash_policy->carry_over = 3;
  EXPECT_TRUE(MayCreate(tree, carries).ok()) << "what a group leaves over is its own";
  for (const auto& change : {+[](CashPolicy& policy) { policy.anchor = Time(); },
                             +[](CashPolicy& policy) { policy.time_zone = "Asia/Shanghai"; }}) {
    auto other = Renewed(Team());
    change(*other.cash_policy);
    EXPECT_FALSE(MayCreate(tree, other).ok());
  }
}

TEST(PeriodRules, A20_AParentThatDoesNotLimitTheHoursMindsNoPeriods) {
  Tree tree;
  tree.Set(MakeGroup("org", "", {{"limits.cpu", "10"}}));
  EXPECT_TRUE(MayCreate(tree, Renewed(Team())).ok());
}

TEST(PeriodRules, A20_AParentKeepsThePeriodsOfItsChildren) {
  Tree tree;
  tree.Set(Renewed(Org()));
  tree.Set(Renewed(Team()));
  EXPECT_EQ(Message(MayUpdate(tree, Renewed(Org(), Period::kDay))), Concat("bizrq/org: ", kFault));
  EXPECT_FALSE(MayUpdate(tree, Org()).ok());
  EXPECT_FALSE(MayUpdate(tree, Renewed(Team(), Period::kDay)).ok());
  EXPECT_TRUE(MayUpdate(tree, Team()).ok());
  EXPECT_TRUE(MayUpdate(tree, Renewed(Org())).ok()) << "no change";
}

TEST(PeriodRules, A20_AnUnknownTimeZoneIsRefused) {
  const Tree tree;
  auto org = Renewed(Org());
  org.cash_policy->time_zone = "Europe/Bonn";
  EXPECT_EQ(Message(MayCreate(tree, org)), "bizrq/org: cashPolicy.timeZone: there is no time zone Europe/Bonn");
}

}  // namespace
}  // namespace huygens::quota
