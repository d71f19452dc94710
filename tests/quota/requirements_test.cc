// One test per requirement of business-group quotas that concerns rules (docs/quota.md lists them): the tree, the keys,
// the hours.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quota/cash.h"
#include "quota/group_rules.h"
#include "quota/workload_kinds.h"
#include "tests/quota/groups.h"

namespace huygens::quota {
namespace {

using testing::HasSubstr;

std::string Why(const Status& status) { return std::string(Message(status)); }

// org (100 cores, 40 of A4) > dept (60, 20) > team (10, 4)
Tree ThreeLevels() {
  Tree tree;
  tree.Set(MakeGroup("org", "", {{"limits.cpu", "100"}, {"limits.cpu.A4", "40"}}));
  tree.Set(MakeGroup("dept", "org", {{"limits.cpu", "60"}, {"limits.cpu.A4", "20"}}));
  tree.Set(MakeGroup("team", "dept", {{"limits.cpu", "10"}, {"limits.cpu.A4", "4"}}));
  return tree;
}

TEST(Requirement, N1_ASecondGroupOfANameIsRefused) {
  Tree tree = ThreeLevels();
  Status second = MayCreate(tree, MakeGroup("org", "", {{"limits.cpu", "1"}}));
  EXPECT_TRUE(absl::IsAlreadyExists(second)) << second;
  EXPECT_EQ(Used(tree, "org", "limits.cpu"), "60");
}

TEST(Requirement, N2_PodsOfAnyNamespaceMayNameAGroup) {
  cluster::Pod pod = MakePod(1000);
  const Amounts here = UsageOf(pod, Labels("team"));
  pod.namespace_name = "elsewhere";
  EXPECT_EQ(UsageOf(pod, Labels("team")), here);
}

TEST(Requirement, T1_SeveralRootsAreAllowed) {
  Tree tree = ThreeLevels();
  EXPECT_TRUE(MayCreate(tree, MakeGroup("other", "", {{"limits.cpu", "5000"}})).ok());
}

TEST(Requirement, T2_TheParentMustExist) {
  EXPECT_THAT(Why(MayCreate(ThreeLevels(), MakeGroup("new", "nobody", {}))), HasSubstr("parent nobody: no such group"));
}

TEST(Requirement, T3_AChildLimitsWhatItsParentLimits) {
  Tree tree = ThreeLevels();
  EXPECT_THAT(Why(MayCreate(tree, MakeGroup("new", "org", {{"limits.cpu", "1"}}))),
              HasSubstr("new must limit what its parent org limits: limits.cpu.A4"));
  EXPECT_TRUE(
      MayCreate(tree, MakeGroup("new", "org", {{"limits.cpu", "1"}, {"limits.cpu.A4", "1"}, {"pods", "5"}})).ok());
  EXPECT_THAT(Why(MayUpdate(tree, MakeGroup("team", "dept", {{"limits.cpu", "10"}}))), HasSubstr("limits.cpu.A4"));
}

TEST(Requirement, T4_AChildIsTakenFromWhatItsParentHasLeft) {
  Tree tree = ThreeLevels();
  EXPECT_TRUE(MayCreate(tree, MakeGroup("new", "org", {{"limits.cpu", "40"}, {"limits.cpu.A4", "20"}})).ok());
  EXPECT_THAT(Why(MayCreate(tree, MakeGroup("new", "org", {{"limits.cpu", "40001m"}, {"limits.cpu.A4", "20"}}))),
              HasSubstr("parent org has 40 of 100 limits.cpu left, 40001m more wanted"));
}

TEST(Requirement, T5_TheParentIsChargedWithTheChild) {
  Tree tree = ThreeLevels();
  tree.Set(MakeGroup("new", "org", {{"limits.cpu", "40"}, {"limits.cpu.A4", "20"}}));
  EXPECT_FALSE(MayCreate(tree, MakeGroup("late", "org", {{"limits.cpu", "1m"}, {"limits.cpu.A4", "0"}})).ok());
}

TEST(Requirement, T6_TheParentOfAGroupIsForGood) {
  Tree tree = ThreeLevels();
  for (const char* parent : {"", "org", "nobody"}) {
    EXPECT_THAT(Why(MayUpdate(tree, MakeGroup("team", parent, {{"limits.cpu", "10"}, {"limits.cpu.A4", "4"}}))),
                HasSubstr("parentBizGroup cannot be changed"));
  }
  EXPECT_THAT(Why(MayUpdate(tree, MakeGroup("org", "dept", {{"limits.cpu", "100"}, {"limits.cpu.A4", "40"}}))),
              HasSubstr("parentBizGroup cannot be changed"));
}

TEST(Requirement, T7_OnlyLeavesAreDeleted) {
  Tree tree = ThreeLevels();
  EXPECT_THAT(Why(MayDelete(tree, "dept")), HasSubstr("it has children: team"));
  EXPECT_TRUE(MayDelete(tree, "team").ok());
}

TEST(Requirement, T8_GrowingIsHeldAgainstTheParent) {
  Tree tree = ThreeLevels();
  EXPECT_TRUE(MayUpdate(tree, MakeGroup("team", "dept", {{"limits.cpu", "60"}, {"limits.cpu.A4", "4"}})).ok());
  EXPECT_FALSE(MayUpdate(tree, MakeGroup("team", "dept", {{"limits.cpu", "60001m"}, {"limits.cpu.A4", "4"}})).ok());
}

TEST(Requirement, U1_WhatIsUsedIsWhatPodsTookAndWhatWasHandedOut) {
  Tree tree = ThreeLevels();
  tree.Charge("dept", Cores(3));
  EXPECT_EQ(Used(tree, "dept", "limits.cpu"), "13");
  EXPECT_EQ(Get(tree.Find("dept")->charged, "limits.cpu").Canonical(), "3");
}

TEST(Requirement, U2_ChildrenCountAsTheirBudgetNotAsWhatTheyUse) {
  Tree tree = ThreeLevels();
  tree.Charge("team", Cores(5));
  EXPECT_EQ(Used(tree, "team", "limits.cpu"), "5");
  EXPECT_EQ(Used(tree, "dept", "limits.cpu"), "10");
  EXPECT_EQ(Used(tree, "org", "limits.cpu"), "60");
}

TEST(Requirement, U3_InnerGroupsHavePods) {
  Tree tree = ThreeLevels();
  EXPECT_TRUE(Check(tree, "dept", Cores(50)).fits());
  EXPECT_FALSE(Check(tree, "dept", Cores(51)).fits());
}

// The article's example: 10 cores, of which 4 of A4.
TEST(Requirement, P1_AModelCountsTwice) {
  Tree tree;
  tree.Set(MakeGroup("team", "", {{"limits.cpu", "10"}, {"limits.cpu.A4", "4"}}));
  tree.Charge("team", Cores(4, "A4"));
  EXPECT_EQ(Used(tree, "team", "limits.cpu"), "4");
  EXPECT_EQ(Used(tree, "team", "limits.cpu.A4"), "4");
  EXPECT_EQ(Why(tree, "team", Cores(1, "A4")), "quota bizrq/team: limits.cpu.A4 used 4 of 4, requested 1");
  for (int i = 0; i < 6; ++i) {
    ASSERT_TRUE(Check(tree, "team", Cores(1)).fits()) << i;
    tree.Charge("team", Cores(1));
  }
  EXPECT_EQ(Why(tree, "team", Cores(1)), "quota bizrq/team: limits.cpu used 10 of 10, requested 1");
}

TEST(Requirement, P2_TheSmallerOfBothLimitsCounts) {
  Tree tree;
  tree.Set(MakeGroup("team", "", {{"limits.cpu", "10"}, {"limits.cpu.A4", "100"}}));
  EXPECT_TRUE(Check(tree, "team", Cores(10, "A4")).fits());
  EXPECT_EQ(Why(tree, "team", Cores(11, "A4")), "quota bizrq/team: limits.cpu used 0 of 10, requested 11");
}

TEST(Requirement, P3_MemoryAndGpuModelsCountTwice) {
  ResourceNames names;
  cluster::Pod pod = MakePod(1000, int64_t{8} << 30);
  pod.containers[0].requests.Set(*names.Intern("nvidia.com/gpu"), 2);
  const Amounts usage = PodUsage(pod, Labels("team", "", "A30", "A4"), names, {});
  EXPECT_EQ(Get(usage, "limits.memory").Canonical(), "8Gi");
  EXPECT_EQ(Get(usage, "limits.memory.A4").Canonical(), "8Gi");
  EXPECT_EQ(Get(usage, "requests.nvidia.com/gpu").Canonical(), "2");
  EXPECT_EQ(Get(usage, "requests.nvidia.com/gpu.A30").Canonical(), "2");
  EXPECT_EQ(Find(usage, "limits.cpu.A4"), nullptr);
}

TEST(Requirement, L1_L2_LabelsNameGroupAndModels) {
  cluster::QuotaLabels labels;
  for (const auto& [key, value] : Pairs{{"app", "web"},
                                        {"biz.group.resource.quota", "team"},
                                        {"biz.group.resource.quota/cpu-type", "A4"},
                                        {"biz.group.resource.quota/gpu-type", "A30"},
                                        {"biz.group.resource.quota/memory-type", "DDR5"},
                                        {"biz.group.resource.quota.example.com/cpu-type", "x"},
                                        {"biz.group.resource.quota/disk-type", "x"}}) {
    cluster::TakeQuotaLabel(key, value, labels);
  }
  EXPECT_EQ(labels, Labels("team", "A4", "A30", "DDR5"));
}

TEST(Requirement, W1_W2_AWorkloadCountsAsAWhole) {
  Tree tree;
  tree.Set(MakeGroup("team", "", {{"limits.cpu", "10"}}));
  Workload workload{.group = "apps", .kind = "Deployment", .replicas = 3};
  const Amounts increase = Times(Cores(4), ChargedPods(workload)->at(0));
  EXPECT_EQ(Why(tree, "team", increase), "quota bizrq/team: limits.cpu used 0 of 10, requested 12");
  workload.replicas = 2;
  EXPECT_TRUE(Check(tree, "team", Times(Cores(4), ChargedPods(workload)->at(0))).fits());
}

TEST(Requirement, W3_W4_WhatFitsIsChargedWhatDoesNotIsRefused) {
  Tree tree;
  tree.Set(MakeGroup("team", "", {{"limits.cpu", "10"}}));
  ASSERT_TRUE(Check(tree, "team", Cores(10)).fits());
  tree.Charge("team", Cores(10));
  EXPECT_EQ(Check(tree, "team", Cores(1)).outcome, Outcome::kExceeded);
}

TEST(Requirement, O1_TwoRacersForTheLastCoresOneGetsThem) {
  Tree tree;
  tree.Set(MakeGroup("team", "", {{"limits.cpu", "9"}}));
  int admitted = 0;
  for (int racer = 0; racer < 2; ++racer) {
    if (!Check(tree, "team", Cores(5)).fits()) continue;
    tree.Charge("team", Cores(5));
    ++admitted;
  }
  EXPECT_EQ(admitted, 1);
}

TEST(Requirement, C4_ShrinkingBelowWhatIsUsedIsLegalAndStopsWhatAdds) {
  Tree tree;
  tree.Set(MakeGroup("team", "", {{"limits.cpu", "10"}, {"pods", "100"}}));
  tree.Charge("team", Cores(8));
  const auto smaller = MakeGroup("team", "", {{"limits.cpu", "4"}, {"pods", "100"}});
  ASSERT_TRUE(MayUpdate(tree, smaller).ok());
  tree.Set(smaller);
  EXPECT_EQ(Used(tree, "team", "limits.cpu"), "8");
  EXPECT_EQ(Why(tree, "team", Cores(1)), "quota bizrq/team: limits.cpu used 8 of 4, requested 1");
  EXPECT_TRUE(Check(tree, "team", Of({{"pods", "1"}})).fits());
}

Time At(int64_t seconds, int64_t nanos = 0) {
  return Time(std::chrono::seconds(seconds) + std::chrono::nanoseconds(nanos));
}

std::string Hours(int64_t cores, int64_t seconds) {
  CashLedger ledger;
  ledger.Accrue(Cores(cores), Of({{"cash/limits.cpu", "100"}}), seconds);
  return Get(ledger.Published(), "cash/limits.cpu").Canonical();
}

// The article's example: 100 core-hours in three ways.
TEST(Requirement, K1_AHundredCoreHoursInThreeWays) {
  EXPECT_EQ(Hours(1, 100 * 3600), "100");
  EXPECT_EQ(Hours(50, 2 * 3600), "100");
  EXPECT_EQ(Hours(100, 3600), "100");
  EXPECT_EQ(Hours(100, 3599), "99972222223n");
}

TEST(Requirement, K2_HoursRunFromBindToEndWithinTheInterval) {
  EXPECT_EQ(SecondsWithin({At(100), std::nullopt}, At(0), At(160)), 60);
  EXPECT_EQ(SecondsWithin({At(100), std::nullopt}, At(130), At(160)), 30);
  EXPECT_EQ(SecondsWithin({At(100), At(140)}, At(0), At(160)), 40);
  EXPECT_EQ(SecondsWithin({At(100), At(140)}, At(150), At(160)), 0);
  EXPECT_EQ(SecondsWithin({At(200), std::nullopt}, At(0), At(160)), 0);
}

cluster::BizGroupQuota CashGroup(std::string_view consumed) {
  auto group = MakeGroup("team", "", {{"limits.cpu", "10"}, {"cash/limits.cpu", "100"}});
  group.self_used = Of({{"cash/limits.cpu", consumed}});
  return group;
}

TEST(Requirement, K3_HoursAreSpentAtEquality) {
  Tree tree;
  tree.Set(CashGroup("99999m"));
  EXPECT_TRUE(Check(tree, "team", Cores(10)).fits());
  tree.Set(CashGroup("100"));
  EXPECT_EQ(Check(tree, "team", Cores(1)).outcome, Outcome::kCashExhausted);
  EXPECT_EQ(Why(tree, "team", Cores(1)), "quota bizrq/team: cash/limits.cpu used 100 of 100");
}

TEST(Requirement, K4_SpentHoursLeaveRunningPodsCharged) {
  Tree tree;
  tree.Set(CashGroup("50"));
  tree.Charge("team", Cores(4));
  tree.Set(CashGroup("200"));
  EXPECT_EQ(Used(tree, "team", "limits.cpu"), "4");
  EXPECT_FALSE(Check(tree, "team", Cores(1)).fits());
}

TEST(Requirement, K5_APodSeenToGoLosesNothing) {
  CashLedger ledger;
  const Amounts hard = Of({{"cash/limits.cpu", "100"}});
  ledger.Accrue(Cores(2), hard, SecondsWithin({At(0), At(1800)}, At(0), At(1800)));  // on its DELETE event
  ledger.Accrue(Cores(2), hard,
                SecondsWithin({At(0), At(1800)}, At(1800), At(3600)));  // in the next round: nothing more
  EXPECT_EQ(Get(ledger.Published(), "cash/limits.cpu").Canonical(), "1");
}

}  // namespace
}  // namespace huygens::quota
