// Budgets of business groups, as filter, bind and preemption go by them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/placement/quota_groups.h"

namespace huygens::placement {
namespace {

using namespace test;  // NOLINT: builders of the same words
using quota::Enforcement;

class QuotaTest : public testing::Test, protected QuotaPlacement {};

TEST_F(QuotaTest, APodPassesUntilItsGroupsBudgetIsUsedUp) {
  Set(MakeGroup("team", {{"limits.cpu", "4"}}));
  EXPECT_EQ(Filter(*MakeGroupPod("a", 4, "team")), "fits");
  EXPECT_EQ(Filter(*MakeGroupPod("b", 5, "team")), "quota_exceeded");
  EXPECT_EQ(Why(*MakeGroupPod("b", 5, "team")), "quota bizrq/team: limits.cpu used 0 of 4, requested 5");
  EXPECT_EQ(Filter(*MakePod("free", 100)), "fits") << "no label, no quota";
  EXPECT_EQ(Why(*MakePod("free", 100)), "");
}

TEST_F(QuotaTest, OfTwoPodsThatRaceForTheLastCoreTheSecondBindIsRefused) {
  Set(MakeGroup("team", {{"limits.cpu", "4"}}));
  auto a = MakeGroupPod("a", 3, "team"), b = MakeGroupPod("b", 3, "team");
  ASSERT_EQ(Filter(*a), "fits");
  ASSERT_EQ(Filter(*b), "fits");
  EXPECT_TRUE(Reserve(a, "n0"));
  const auto second = placement->Reserve(b, "n1", kNow);
  EXPECT_EQ(second->reason, Reason::kQuotaExceeded);
  EXPECT_EQ(second->quota, "quota bizrq/team: limits.cpu used 3 of 4, requested 3");
  EXPECT_EQ(Used("team"), "3");
  placement->Release("a");
  EXPECT_TRUE(Reserve(b, "n1"));
  EXPECT_EQ(Used("team"), "3");
}

TEST_F(QuotaTest, AResourceThatNoNodeHasIsChargedByItsName) {
  Set(MakeGroup("team", {{"requests.made.up/device", "2"}}));
  const auto asking = [](const std::string& uid, const std::string& resource, int64_t amount) {
    auto pod = MakeGroupPod(uid, 1, "team");
    pod->unknown_resources = std::vector<std::string>{resource};
    pod->containers[0].requests.Set(kFirstUnknownResource, amount);
    return pod;
  };
  EXPECT_EQ(Why(*asking("a", "made.up/device", 3)),
            "quota bizrq/team: requests.made.up/device used 0 of 2, requested 3");
  ASSERT_TRUE(Reserve(asking("b", "made.up/device", 2), "n0"));
  EXPECT_EQ(Filter(*asking("c", "another.one/device", 9)), "fits") << "of the same position in another pod";
  EXPECT_EQ(Filter(*asking("d", "made.up/device", 1)), "quota_exceeded");
}

// A bind may wait in a queue with the pod as it was when the call came.
TEST_F(QuotaTest, AtBindThePodIsJudgedAsItIsNowWhichIsWhatIsCharged) {
  Set(MakeGroup("team", {{"limits.cpu", "10"}}));
  Set(MakeGroup("other", {{"limits.cpu", "1"}}));
  auto of_team = MakeGroupPod("a", 4, "team"), of_other = MakeGroupPod("a", 4, "other");
  placement->Apply(cluster::PodSet{of_team});
  placement->Apply(cluster::PodSet{of_other});
  const auto refused = placement->Reserve(of_team, "n0", kNow);
  EXPECT_EQ(refused->reason, Reason::kQuotaExceeded);
  EXPECT_EQ(refused->quota, "quota bizrq/other: limits.cpu used 0 of 1, requested 4");
  EXPECT_EQ(Used("other"), "0");
  placement->Apply(cluster::PodSet{of_team});
  EXPECT_TRUE(Reserve(of_other));
  EXPECT_EQ(Used("team"), "4");
  EXPECT_EQ(Used("other"), "0");
}

TEST_F(QuotaTest, SaysWhetherItIsTheBudgetOrTheGroup) {
  Set(MakeGroup("team", {{"limits.cpu", "4"}}));
  EXPECT_TRUE(placement->Filter(*MakeGroupPod("a", 5, "team"), {}, kNow).quota_used_up);
  EXPECT_FALSE(placement->Filter(*MakeGroupPod("b", 5, "nobody"), {}, kNow).quota_used_up);
  EXPECT_FALSE(placement->Filter(*MakeGroupPod("c", 1, "team"), {}, kNow).quota_used_up);
}

TEST_F(QuotaTest, APodIsChargedOnceFromBindToEnd) {
  Set(MakeGroup("team", {{"limits.cpu", "4"}}));
  auto pod = MakeGroupPod("a", 4, "team");
  ASSERT_TRUE(Reserve(pod));
  EXPECT_EQ(Filter(*pod), "fits") << "what it is charged is its own";
  EXPECT_TRUE(placement->Reserve(pod, "n0", kNow)->existed);
  EXPECT_EQ(Used("team"), "4");
  placement->Assume("a", kNow);
  Bind(*pod);
  EXPECT_EQ(Used("team"), "4");
  auto leaving = std::make_shared<cluster::Pod>(*pod);
  leaving->node_name = "n0";
  leaving->deleting = true;
  placement->Apply(cluster::PodSet{leaving});
  EXPECT_EQ(Used("team"), "4") << "it still runs";
  auto done = std::make_shared<cluster::Pod>(*leaving);
  done->phase = cluster::PodPhase::kSucceeded;
  placement->Apply(cluster::PodSet{done});
  EXPECT_EQ(Used("team"), "0");
}

TEST_F(QuotaTest, P1_ModelAndGeneralKeyBothLimitAndTheModelWantsItsNodes) {
  Set(MakeGroup("team", {{"limits.cpu", "10"}, {"limits.cpu.A4", "4"}}));
  EXPECT_EQ(Filter(*MakeGroupPod("a", 4, "team", "A4")), "fits, quota_other_model");
  ASSERT_TRUE(Reserve(MakeGroupPod("a", 4, "team", "A4"), "n0"));
  EXPECT_EQ(Filter(*MakeGroupPod("b", 1, "team", "A4")), "quota_exceeded");
  EXPECT_EQ(Why(*MakeGroupPod("b", 1, "team", "A4")), "quota bizrq/team: limits.cpu.A4 used 4 of 4, requested 1");
  ASSERT_TRUE(Reserve(MakeGroupPod("c", 6, "team"), "n1"));
  EXPECT_EQ(Filter(*MakeGroupPod("d", 1, "team")), "quota_exceeded");
}

TEST_F(QuotaTest, ANodeThatGetsTheModelTakesThePod) {
  Set(MakeGroup("team", {{"limits.cpu", "10"}}));
  auto pod = MakeGroupPod("a", 1, "team", "B7");
  EXPECT_EQ(Filter(*pod), "quota_other_model");
  const auto refused = placement->Reserve(pod, "n1", kNow);
  EXPECT_EQ(refused->reason, Reason::kQuotaOtherModel);
  EXPECT_THAT(refused->quota, testing::HasSubstr("wants B7, the label huygens.dev/cpu-model is missing on 1 node"));
  cluster::Node node = MakeNode("n1");
  node.labels = {{"huygens.dev/cpu-model", "B7.2"}};
  placement->Apply(cluster::NodeSet{node});
  EXPECT_TRUE(Reserve(pod, "n1"));
}

TEST_F(QuotaTest, WhereNoNodeDoesItSaysOfWhichModelsTheyAre) {
  Set(MakeGroup("team", {{"limits.cpu", "10"}}));
  auto models = [&](const cluster::Pod& pod) {
    const std::vector<std::string_view> asked(node_names.begin(), node_names.end());
    return placement->Filter(pod, asked, kNow).models;
  };
  EXPECT_EQ(models(*MakeGroupPod("a", 1, "team", "B7")),
            "the pod's label biz.group.resource.quota/cpu-type wants B7, the label huygens.dev/cpu-model is missing on "
            "1 node, A4 on 2 nodes");
  EXPECT_EQ(models(*MakeGroupPod("a", 1, "team", "A4")), "") << "some node does";
  EXPECT_EQ(models(*MakeGroupPod("a", 1, "team")), "");
}

TEST_F(QuotaTest, NodesOfTheModelThatRefuseThePodForAnotherReasonAreCounted) {
  Set(MakeGroup("team", {{"limits.cpu", "10"}}));
  auto models = [&](std::span<const std::string_view> asked) {
    auto pod = MakeGroupPod("a", 4, "team", "A4");
    pod->topology_awareness = true;
    return placement->Filter(*pod, asked, kNow).models;
  };
  const std::string missing =
      "the pod's label biz.group.resource.quota/cpu-type wants A4, the label huygens.dev/cpu-model is missing on 1 "
      "node";
  const std::string_view asked[] = {"n1", "n0", "n2"};  // n1 is not of model A4
  EXPECT_EQ(models(asked), missing + "; 2 nodes of what it wants are refused for another reason");
  EXPECT_EQ(models(std::span(asked).first(2)), missing + "; 1 node of what it wants is refused for another reason");
  EXPECT_EQ(models(std::span(asked).first(1)), missing);
  EXPECT_EQ(models(std::span(asked).last(2)), "") << "the model is not what is wrong";
}

TEST_F(QuotaTest, WhereTheGroupRefusesModelsAreNotTheReason) {
  const std::string_view asked[] = {"n0", "n1"};
  EXPECT_EQ(placement->Filter(*MakeGroupPod("a", 1, "nobody", "B7"), asked, kNow).models, "");
}

TEST_F(QuotaTest, ANodeInThePlaceOfAnotherIsOfItsOwnModel) {
  Set(MakeGroup("team", {{"limits.cpu", "10"}}));
  auto pod = MakeGroupPod("a", 1, "team", "A4");
  placement->Apply(cluster::NodeGone{"n0"});
  placement->Apply(cluster::NodeSet{MakeNode("later")});
  ASSERT_EQ(placement->Reserve(pod, "later", kNow)->reason, Reason::kQuotaOtherModel);
  placement->Apply(cluster::NodeGone{"n1"});
  cluster::Node latest = MakeNode("latest");
  latest.labels = {{"huygens.dev/cpu-model", "A4"}};
  placement->Apply(cluster::NodeSet{latest});
  EXPECT_TRUE(Reserve(pod, "latest"));
}

TEST_F(QuotaTest, K3_SpentHoursRefuseNewPodsAndTouchNoRunningOne) {
  auto group = MakeGroup("team", {{"limits.cpu", "10"}, {"cash/limits.cpu", "100"}});
  Set(group);
  EXPECT_EQ(Filter(*MakeGroupPod("a", 1, "team")), "quota_group_closed");
  EXPECT_THAT(Why(*MakeGroupPod("a", 1, "team")),
              testing::StartsWith("quota bizrq/team: status unknown for cash/limits.cpu:"));
  group.self_used = AmountsOf({{"cash/limits.cpu", "99.5"}});
  Set(group);
  ASSERT_TRUE(Reserve(MakeGroupPod("a", 1, "team")));
  Bind(*MakeGroupPod("a", 1, "team"));
  group.self_used = AmountsOf({{"cash/limits.cpu", "100"}});
  Set(group);
  EXPECT_EQ(Filter(*MakeGroupPod("b", 1, "team")), "quota_hours_spent");
  EXPECT_EQ(Why(*MakeGroupPod("b", 1, "team")), "quota bizrq/team: cash/limits.cpu used 100 of 100");
  EXPECT_EQ(Used("team"), "1");
}

TEST_F(QuotaTest, A11_MissingEndingAndFrozenGroupsTakeNothing) {
  auto pod = MakeGroupPod("a", 1, "team");
  EXPECT_EQ(Filter(*pod), "quota_no_group");
  EXPECT_EQ(Why(*pod), "quota bizrq/team: no such group");
  Set(MakeGroup("team", {{"limits.cpu", "4"}}, "org"));
  EXPECT_EQ(Filter(*pod), "quota_group_closed");
  EXPECT_EQ(Why(*pod), "quota bizrq/team: its parent org does not exist");
  Set(MakeGroup("org", {{"limits.cpu", "4"}}));
  EXPECT_EQ(Filter(*pod), "fits");
  auto ending = MakeGroup("team", {{"limits.cpu", "4"}}, "org");
  ending.deleting = true;
  Set(ending);
  EXPECT_EQ(Filter(*pod), "quota_group_closed");
  placement->Apply(cluster::BizGroupQuotaGone{"team"});
  EXPECT_EQ(Filter(*pod), "quota_no_group");
}

TEST_F(QuotaTest, A9_WhoeverLimitsCoresWantsThemStated) {
  Set(MakeGroup("team", {{"limits.memory", "4Gi"}}));
  EXPECT_EQ(Filter(*MakeGroupPod("a", 1, "team")), "quota_amount_needed");
  EXPECT_THAT(Why(*MakeGroupPod("a", 1, "team")), testing::HasSubstr("must specify limits.memory for: "));
}

TEST_F(QuotaTest, C4_AShrunkGroupStopsWhatWouldAddAndEvictsNobody) {
  Set(MakeGroup("team", {{"limits.cpu", "4"}}));
  Bind(*MakeGroupPod("a", 3, "team"));
  Set(MakeGroup("team", {{"limits.cpu", "2"}}));
  EXPECT_EQ(Used("team"), "3");
  EXPECT_EQ(Why(*MakeGroupPod("b", 1, "team")), "quota bizrq/team: limits.cpu used 3 of 2, requested 1");
  Bind(*MakeGroupPod("foreign", 9, "team"), "n1");
  EXPECT_EQ(Used("team"), "12") << "whoever bound it, it counts";
  EXPECT_EQ(Filter(*MakeGroupPod("nothing", 0, "team")), "fits") << "a key that does not grow is not looked at";
}

TEST_F(QuotaTest, A12_ABoundPodThatIsRelabelledMovesItsCharge) {
  Set(MakeGroup("team", {{"limits.cpu", "4"}}));
  Set(MakeGroup("other", {{"limits.cpu", "1"}}));
  Bind(*MakeGroupPod("a", 4, "team"));
  EXPECT_EQ(Filter(*MakeGroupPod("b", 1, "team")), "quota_exceeded");
  Bind(*MakeGroupPod("a", 4, "other"));
  EXPECT_EQ(Used("team"), "0");
  EXPECT_EQ(Used("other"), "4");
  EXPECT_EQ(Filter(*MakeGroupPod("b", 1, "team")), "fits");
}

TEST_F(QuotaTest, WhatAPodWasBoundWithHoldsWhateverItsLabelsSayLater) {
  Set(MakeGroup("team", {{"limits.cpu", "4"}}));
  auto pod = MakeGroupPod("a", 4, "team");
  ASSERT_TRUE(Reserve(pod));
  const auto show = [&](std::shared_ptr<const cluster::QuotaLabels> labels) {
    auto bound = std::make_shared<cluster::Pod>(*pod);
    bound->node_name = "n0";
    bound->placement_mark = cluster::PlacementMark{"a", "n0", {}, pod->quota, false};
    bound->quota = std::move(labels);
    placement->Apply(cluster::PodSet{std::move(bound)});
  };
  show(nullptr);
  EXPECT_EQ(Used("team"), "4");
  EXPECT_EQ(Filter(*MakeGroupPod("b", 1, "team")), "quota_exceeded") << "the label is gone, the cores are not";
  show(MakeGroupPod("a", 4, "other")->quota);
  EXPECT_EQ(Used("team"), "4");
  EXPECT_EQ(Used("other"), "(unknown)");
  EXPECT_EQ(placement->Reconcile(10), 0u);
  placement->Apply(cluster::PodGone{"a"});
  EXPECT_EQ(Filter(*MakeGroupPod("b", 1, "team")), "fits");
}

TEST_F(QuotaTest, PodsOfDaemonSetsAreHeldToTheirGroupLikeOthers) {
  Set(MakeGroup("team", {{"limits.cpu", "4"}}));
  auto pod = MakeGroupPod("a", 5, "team");
  pod->owned_by_daemon_set = true;
  EXPECT_EQ(Filter(*pod), "quota_exceeded");
}

TEST_F(QuotaTest, ABudgetIsNoReasonToEvict) {
  Set(MakeGroup("team", {{"limits.cpu", "4"}}));
  Bind(*MakeGroupPod("victim", 4, "team"));
  auto pod = MakeGroupPod("a", 4, "team");
  pod->priority = 100;
  std::vector<PreemptionCandidate> candidates = {{.node = "n0", .victims = {"victim"}}};
  EXPECT_THAT(placement->Preempt(*pod, candidates, kNow)[0].victims, testing::IsEmpty());
  EXPECT_EQ(placement->Preempt(*pod, candidates, kNow)[0].reason, Reason::kQuotaExceeded);
  EXPECT_EQ(Used("team"), "4");
  auto free = MakePod("free", 4);
  free->priority = 100;
  EXPECT_THAT(placement->Preempt(*free, candidates, kNow)[0].victims, testing::ElementsAre("victim"));
}

TEST_F(QuotaTest, ItsReasonStandsAloneWhateverElseIsWrongWithTheNodes) {
  placement->Apply(cluster::TopologySet{MakeTopology("n0", {1000})});
  auto pod = MakeGroupPod("a", 4, "team");
  pod->topology_awareness = true;
  EXPECT_EQ(Filter(*pod), "quota_no_group");
  for (const Reason reason : policy::kReasons) {
    const bool about_quota = Label(reason).starts_with("quota_");
    EXPECT_FALSE(about_quota && CurableByVictims(reason)) << Label(reason);
  }
}

TEST_F(QuotaTest, ARestartCountsTheSame) {
  auto replay = [](QuotaPlacement& into, bool groups_first) {
    auto groups = [&] {
      into.Set(MakeGroup("team", {{"limits.cpu", "8"}, {"limits.cpu.A4", "4"}}, "org"));
      into.Set(MakeGroup("org", {{"limits.cpu", "20"}}));
    };
    if (groups_first) groups();
    into.Bind(*MakeGroupPod("a", 4, "team", "A4"), "n0");
    into.Bind(*MakeGroupPod("b", 1, "team"), "n1");
    into.Bind(*MakeGroupPod("c", 2, "org"), "n2");
    if (!groups_first) groups();
  };
  QuotaPlacement first, second;
  replay(first, true);
  replay(second, false);
  for (const char* group : {"team", "org"}) {
    for (const char* key : {"limits.cpu", "limits.cpu.A4", "pods"})
      EXPECT_EQ(first.Used(group, key), second.Used(group, key)) << group << key;
  }
  EXPECT_EQ(first.Used("org"), "10");
  EXPECT_EQ(first.placement->Reconcile(10), 0u);
}

TEST_F(QuotaTest, AGroupThatTheNextListDoesNotNameIsGone) {
  placement->Apply(cluster::ListBegin{cluster::Kind::kBizGroupQuota});
  Set(MakeGroup("team", {{"limits.cpu", "4"}}));
  placement->Apply(cluster::ListEnd{cluster::Kind::kBizGroupQuota});
  ASSERT_EQ(Filter(*MakeGroupPod("a", 1, "team")), "fits");
  placement->Apply(cluster::ListBegin{cluster::Kind::kBizGroupQuota});
  placement->Apply(cluster::ListEnd{cluster::Kind::kBizGroupQuota});
  EXPECT_EQ(Filter(*MakeGroupPod("a", 1, "team")), "quota_no_group");
}

TEST(QuotaAtAdmission, LeavesHoursAndModelsOnly) {
  QuotaPlacement at(Enforcement::kAdmission);
  EXPECT_EQ(at.Filter(*MakeGroupPod("a", 9, "nobody")), "fits") << "the webhook has seen to that";
  auto group = MakeGroup("team", {{"limits.cpu", "4"}, {"limits.memory", "1Gi"}, {"cash/limits.cpu", "100"}});
  at.Set(group);
  EXPECT_THAT(at.Why(*MakeGroupPod("a", 9, "team")),
              testing::StartsWith("quota bizrq/team: status unknown for cash/limits.cpu:"));
  group.self_used = AmountsOf({{"cash/limits.cpu", "99"}});
  at.Set(group);
  EXPECT_EQ(at.Filter(*MakeGroupPod("a", 9, "team")), "fits");
  EXPECT_EQ(at.Filter(*MakeGroupPod("a", 9, "team", "A4")), "fits, quota_other_model");
  group.self_used = AmountsOf({{"cash/limits.cpu", "100"}});
  at.Set(group);
  EXPECT_EQ(at.Filter(*MakeGroupPod("a", 9, "team")), "quota_hours_spent");
}

TEST(QuotaOff, DoesNothing) {
  QuotaPlacement at(Enforcement::kOff);
  EXPECT_EQ(at.placement->quota(), nullptr);
  EXPECT_FALSE(at.placement->Follows(cluster::Kind::kBizGroupQuota));
  EXPECT_TRUE(at.placement->Follows(cluster::Kind::kPod));
  at.Set(MakeGroup("team", {{"limits.cpu", "4"}}));
  EXPECT_EQ(at.Filter(*MakeGroupPod("a", 9, "team", "A4")), "fits");
  EXPECT_TRUE(at.Reserve(MakeGroupPod("a", 9, "team", "A4"), "n1"));
}

}  // namespace
}  // namespace huygens::placement
