// Pods of a group that do not name a model, among nodes that are of one: n0, n2, ... of A4, the others of none.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/placement/quota_groups.h"
#include "tests/placement/woken.h"

namespace huygens::placement {
namespace {

using namespace test;  // NOLINT: builders of the same words
using testing::ElementsAre;
using testing::IsEmpty;

class QuotaModelTest : public testing::Test, protected QuotaPlacement {
 protected:
  QuotaModelTest() { Set(MakeGroup("team", {{"limits.cpu", "10"}, {"limits.cpu.A4", "4"}})); }
  // Of each node, in order.
  std::vector<std::string> Reasons(const cluster::Pod& pod) {
    const std::vector<std::string_view> asked(node_names.begin(), node_names.end());
    std::vector<std::string> labels;
    for (const Reason reason : placement->Filter(pod, asked, kNow).reasons) labels.emplace_back(Label(reason));
    return labels;
  }
};

TEST_F(QuotaModelTest, NoBudgetOfAModelIsDodgedByLeavingOutTheLabel) {
  for (const char* uid : {"a", "b", "c", "d"}) ASSERT_TRUE(Reserve(MakeGroupPod(uid, 1, "team"), "n0"));
  EXPECT_EQ(Used("team", "limits.cpu.A4"), "4");
  auto fifth = MakeGroupPod("e", 1, "team");
  EXPECT_THAT(Reasons(*fifth), ElementsAre("quota_model_exceeded", "fits", "quota_model_exceeded"));
  EXPECT_EQ(Why(*fifth), "") << "there is a node for it";
  const auto refused = placement->Reserve(fifth, "n2", kNow);
  EXPECT_EQ(refused->reason, Reason::kQuotaModelExceeded);
  EXPECT_EQ(refused->quota, "quota bizrq/team: limits.cpu.A4 used 4 of 4, requested 1 (1 node of cpu model A4)");
  EXPECT_TRUE(Reserve(fifth, "n1"));
  EXPECT_EQ(Used("team", "limits.cpu.A4"), "4");
  EXPECT_EQ(Used("team"), "5");
  placement->Release("a");
  EXPECT_EQ(Used("team", "limits.cpu.A4"), "3");
  EXPECT_EQ(placement->Reconcile(10), 0u);
}

TEST_F(QuotaModelTest, WhatIsJudgedAtBindIsWhatIsCharged) {
  auto a = MakeGroupPod("a", 3, "team"), b = MakeGroupPod("b", 3, "team");
  ASSERT_EQ(Filter(*a), "fits");
  ASSERT_EQ(Filter(*b), "fits");
  EXPECT_TRUE(Reserve(a, "n0"));
  EXPECT_FALSE(Reserve(b, "n2"));
  EXPECT_EQ(Used("team", "limits.cpu.A4"), "3");
}

TEST_F(QuotaModelTest, WhereNoNodeIsLeftPeopleAreToldWhy) {
  placement->Apply(cluster::NodeGone{"n1"});
  ASSERT_TRUE(Reserve(MakeGroupPod("a", 4, "team"), "n0"));
  EXPECT_EQ(Why(*MakeGroupPod("b", 1, "team")),
            "quota bizrq/team: limits.cpu.A4 used 4 of 4, requested 1 (2 nodes of cpu model A4)");
}

TEST_F(QuotaModelTest, ItIsNoReasonToEvict) {
  Bind(*MakeGroupPod("victim", 4, "team"), "n0");
  auto pod = MakeGroupPod("a", 4, "team");
  pod->priority = 100;
  std::vector<PreemptionCandidate> candidates = {{.node = "n0", .victims = {"victim"}}};
  EXPECT_EQ(placement->Preempt(*pod, candidates, kNow)[0].reason, Reason::kQuotaModelExceeded);
}

TEST_F(QuotaModelTest, ARelabelledNodeTakesItsPodsToItsNewModel) {
  Bind(*MakeGroupPod("a", 4, "team"), "n0");
  cluster::Node plain = MakeNode("n0");
  placement->Apply(cluster::NodeSet{plain});
  EXPECT_EQ(Used("team", "limits.cpu.A4"), "0");
  EXPECT_EQ(Filter(*MakeGroupPod("b", 4, "team")), "fits");
  plain.labels = {{"huygens.dev/cpu-model", "A4"}};
  placement->Apply(cluster::NodeSet{plain});
  EXPECT_EQ(Used("team", "limits.cpu.A4"), "4");
  EXPECT_EQ(placement->Reconcile(10), 0u);
}

TEST_F(QuotaModelTest, ACheckThatOnlyReportsSaysWhichNodesItWouldRefuse) {
  QuotaPlacement reports({{"quota", policy::CheckMode::kReport}});
  reports.Set(MakeGroup("team", {{"limits.cpu", "10"}, {"limits.cpu.A4", "4"}}));
  ASSERT_TRUE(reports.Reserve(MakeGroupPod("a", 4, "team"), "n0"));
  const std::vector<std::string_view> asked(reports.node_names.begin(), reports.node_names.end());
  const FilterAnswer answer = reports.placement->Filter(*MakeGroupPod("b", 1, "team"), asked, kNow);
  EXPECT_EQ(answer.feasible.size(), 3u);
  EXPECT_EQ(answer.quota, "");
  ASSERT_EQ(answer.reports.size(), 1u);
  EXPECT_THAT(answer.reports[0].reasons,
              ElementsAre(Reason::kQuotaModelExceeded, Reason::kFits, Reason::kQuotaModelExceeded));
  EXPECT_EQ(answer.quota_report, "") << "enforced, it would go elsewhere";
  reports.placement->Apply(cluster::NodeGone{"n1"});
  EXPECT_EQ(reports.placement->Filter(*MakeGroupPod("b", 1, "team"), asked, kNow).quota_report,
            "quota bizrq/team: limits.cpu.A4 used 4 of 4, requested 1 (2 nodes of cpu model A4)");
}

TEST_F(QuotaModelTest, APodThatLacksSomethingElseOnOtherNodesDoesNotWaitForBudgetAlone) {
  ASSERT_TRUE(Reserve(MakeGroupPod("a", 4, "team"), "n0"));
  const auto used_up = [&](const cluster::Pod& pod) {
    const std::vector<std::string_view> asked(node_names.begin(), node_names.end());
    return placement->Filter(pod, asked, kNow).quota_used_up;
  };
  auto pod = MakeGroupPod("b", 1, "team");
  pod->topology_awareness = true;  // no node has zones
  EXPECT_THAT(Reasons(*pod), ElementsAre("quota_model_exceeded", "no_topology", "quota_model_exceeded"));
  EXPECT_FALSE(used_up(*pod));
  placement->Apply(cluster::NodeGone{"n1"});
  node_names.erase(node_names.begin() + 1);
  EXPECT_TRUE(used_up(*MakeGroupPod("c", 1, "team")));
}

TEST_F(QuotaModelTest, APodThatRunsIsWhereItIsWhateverItsLabelsSayByNow) {
  auto pod = MakeGroupPod("a", 1, "team", "A4");
  Bind(*pod, "n0");
  auto relabelled = MakeGroupPod("a", 1, "team", "B7");
  relabelled->node_name = "n0";
  EXPECT_THAT(Reasons(*relabelled), ElementsAre("fits", "fits", "fits"))
      << "it asks again since it is to grow in place";
}

class QuotaModelWakeTest : public QuotaModelTest {
 protected:
  QuotaModelWakeTest() : search_(*placement, 16) {
    placement->Apply(cluster::NodeGone{"n1"});
    Bind(*MakeGroupPod("holder", 4, "team"), "n0");
  }
  void Reject(const std::shared_ptr<cluster::Pod>& pod) {
    ASSERT_NE(Filter(*pod), "fits");
    Remember(pod);
  }
  std::vector<std::string> Search() { return Woken(search_); }
  WakeSearch search_;
};

TEST_F(QuotaModelWakeTest, ABudgetOfTheModelThatGrowsWakesThoseThatItHasRoomFor) {
  for (const char* uid : {"a", "b", "c"}) Reject(MakeGroupPod(uid, 1, "team"));
  EXPECT_THAT(Search(), IsEmpty());
  Set(MakeGroup("elsewhere", {{"limits.cpu", "1"}}));
  EXPECT_THAT(Search(), IsEmpty()) << "another group";
  Set(MakeGroup("team", {{"limits.cpu", "10"}, {"limits.cpu.A4", "6"}}));
  EXPECT_THAT(Search(), ElementsAre("a", "b"));
}

TEST_F(QuotaModelWakeTest, ANodeThatIsRelabelledTakesItsPodsAlongAndWakesThoseWhoWaitForTheModel) {
  Reject(MakeGroupPod("named", 3, "team", "A4"));
  Reject(MakeGroupPod("unnamed", 1, "team"));
  EXPECT_THAT(Search(), IsEmpty());
  cluster::Node plain = MakeNode("n0");
  placement->Apply(cluster::NodeSet{plain});
  EXPECT_THAT(Search(), ElementsAre("unnamed", "named"));
}

// When filter refused it, its model had budget left.
TEST_F(QuotaModelWakeTest, AModelThatIsUsedUpWhileThePodWaitsIsWaitedFor) {
  Set(MakeGroup("team", {{"limits.cpu", "10"}, {"limits.cpu.A4", "5"}}));
  auto pod = MakeGroupPod("a", 1, "team");
  pod->topology_awareness = true;  // no node has zones
  Reject(pod);
  ASSERT_TRUE(Reserve(MakeGroupPod("late", 1, "team"), "n2"));
  placement->waiting().Changed(*placement->state().FindNode("n0"));
  EXPECT_THAT(Search(), IsEmpty());
  auto zoned = MakeTopology("n0", {16000});
  placement->Apply(cluster::TopologySet{zoned});
  EXPECT_THAT(Search(), IsEmpty()) << "the node would do, and its model is used up";
  Set(MakeGroup("team", {{"limits.cpu", "10"}, {"limits.cpu.A4", "6"}}));
  EXPECT_THAT(Search(), ElementsAre("a"));
}

// Room for one on a node that changed, and budgets changed with it: no reason to wake all who wait for another model.
TEST_F(QuotaModelWakeTest, ANodeThatChangedBesideABudgetWakesAsManyAsItTakes) {
  placement->Apply(cluster::NodeSet{MakeNode("n1")});
  for (const char* uid : {"a", "b", "c"}) {
    auto pod = MakeGroupPod(uid, 1, "team");
    pod->topology_awareness = true;
    Reject(pod);
  }
  placement->Apply(cluster::TopologySet{MakeTopology("n1", {1000})});
  Set(MakeGroup("elsewhere", {{"limits.cpu", "1"}}));
  EXPECT_THAT(Search(), ElementsAre("a"));
}

TEST_F(QuotaModelWakeTest, APodOfTheGroupThatEndsWakesOne) {
  Reject(MakeGroupPod("a", 3, "team"));
  EXPECT_THAT(Search(), IsEmpty());
  placement->Apply(cluster::PodGone{"holder"});
  for (int i = 0; i < 2; ++i) placement->waiting().Remind(0, 3);
  EXPECT_THAT(Search(), ElementsAre("a"));
}

class QuotaAncestorTest : public testing::Test, protected QuotaPlacement {};

TEST_F(QuotaAncestorTest, AChildAboveItsParentGetsNoPods) {
  Set(MakeGroup("org", {{"limits.cpu", "4"}}));
  Set(MakeGroup("team", {{"limits.cpu", "100"}}, "org"));
  auto pod = MakeGroupPod("a", 1, "team");
  EXPECT_EQ(Filter(*pod), "quota_ancestor_over");
  EXPECT_EQ(Why(*pod),
            "quota bizrq/team: bizrq/org above it is over its budget: limits.cpu used 100 of 4, requested 1");
  EXPECT_FALSE(Reserve(pod));
  EXPECT_EQ(Filter(*MakeGroupPod("nothing", 0, "team")), "fits") << "a key that does not grow is not looked at";
  Set(MakeGroup("team", {{"limits.cpu", "4"}}, "org"));
  EXPECT_EQ(Filter(*pod), "fits");
  EXPECT_TRUE(Reserve(pod));
}

TEST_F(QuotaAncestorTest, WhoeverWaitsForItIsWokenWhenItIsMended) {
  Set(MakeGroup("org", {{"limits.cpu", "4"}}));
  Set(MakeGroup("team", {{"limits.cpu", "100"}}, "org"));
  auto pod = MakeGroupPod("a", 1, "team");
  ASSERT_NE(Filter(*pod), "fits");
  Remember(pod);
  WakeSearch search(*placement, 16);
  EXPECT_THAT(Woken(search), IsEmpty());
  Set(MakeGroup("org", {{"limits.cpu", "100"}}));
  EXPECT_THAT(Woken(search), ElementsAre("a"));
}

TEST(QuotaAncestorAtAdmission, IsLeftToTheWebhook) {
  QuotaPlacement at(quota::Enforcement::kAdmission);
  at.Set(MakeGroup("org", {{"limits.cpu", "4"}}));
  at.Set(MakeGroup("team", {{"limits.cpu", "100"}}, "org"));
  EXPECT_EQ(at.Filter(*MakeGroupPod("a", 1, "team")), "fits");
}

}  // namespace
}  // namespace huygens::placement
