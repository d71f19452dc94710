// Pods that their groups held back, and what makes the search find them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/placement/quota_groups.h"
#include "tests/placement/woken.h"

namespace huygens::placement {
namespace {

using namespace test;  // NOLINT: builders of the same words
using std::chrono::seconds;
using testing::ElementsAre;

using testing::IsEmpty;

class QuotaWakeTest : public testing::Test, protected QuotaPlacement {
 protected:
  QuotaWakeTest() : QuotaPlacement(quota::Enforcement::kPlacement, 40), search_(*placement, 16) {
    Set(MakeGroup("org", {{"limits.cpu", "1000"}}));
    Set(MakeGroup("team", {{"limits.cpu", "2"}}, "org"));
    Bind(*MakeGroupPod("holder", 2, "team"), "n39");
  }
  void Reject(const std::shared_ptr<cluster::Pod>& pod) {
    ASSERT_NE(Filter(*pod), "fits");
    Remember(pod);
  }
  // "n3: a b" for each node, "any n3: a b" for those that groups let go.
  std::vector<std::string> Search(Time now = kNow) {
    std::vector<std::string> texts;
    steps_ = 0;
    if (!search_.Begin(now)) return texts;
    while (search_.Step(now)) ++steps_;
    for (const Wake& wake : search_.TakeWakes()) {
      texts.push_back(Concat(wake.anywhere ? "any " : "", placement->state().NodeName(wake.node), ":"));
      for (const auto& pod : wake.pods) texts.back() += Concat(" ", pod->uid);
    }
    return texts;
  }
  // Searches and tells kube-scheduler.
  std::vector<std::string> Wakes(Time now) { return Wakes(search_, now); }
  std::vector<std::string> Wakes(WakeSearch& search, Time now) {
    std::vector<std::string> uids = Woken(search, now);
    for (const std::string& uid : uids) {
      placement->waiting().BeginWaking(uid);
      placement->waiting().EndWaking(uid, true);
    }
    return uids;
  }
  void Remind() {
    for (int i = 0; i < 2; ++i) placement->waiting().Remind(0, 40);
  }

  WakeSearch search_;
  int steps_ = 0;
};

TEST_F(QuotaWakeTest, AGroupThatGrowsLetsGoThoseItHasRoomFor) {
  for (const char* uid : {"a", "b", "c"}) Reject(MakeGroupPod(uid, 1, "team"));
  EXPECT_THAT(Search(), IsEmpty());
  Set(MakeGroup("team", {{"limits.cpu", "4"}}, "org"));
  EXPECT_THAT(Search(), ElementsAre("any n0: a", "any n0: b"));
  placement->waiting().Remove("a");
  placement->waiting().Remove("b");
  EXPECT_THAT(Search(), IsEmpty()) << "a and b have room for a while";
  EXPECT_THAT(Search(kNow + seconds(10)), ElementsAre("any n0: c")) << "they were not placed after all";
}

// 1000 pods wait and 20 find room: other 20 in each search would be woken for nothing before the first are placed.
TEST_F(QuotaWakeTest, RoomThatPodsWereWokenForIsTheirsForAWhile) {
  for (int i = 0; i < 1000; ++i) Reject(MakeGroupPod("p" + std::to_string(1000 + i), 1, "team"));
  Set(MakeGroup("team", {{"limits.cpu", "22"}}, "org"));
  const auto first = Wakes(kNow);
  ASSERT_EQ(first.size(), 20u);
  for (int second = 0; second < 9; ++second) {
    Set(MakeGroup("elsewhere", {{"limits.cpu", std::to_string(second)}}));
    EXPECT_THAT(Wakes(kNow + seconds(second)), IsEmpty()) << second;
  }
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(Reserve(MakeGroupPod(first[static_cast<size_t>(i)], 1, "team")));
  EXPECT_THAT(Wakes(kNow + seconds(9)), IsEmpty()) << "what is charged now is not counted twice";
  EXPECT_EQ(Wakes(kNow + seconds(10)).size(), 15u) << "that of the others is free again";
}

TEST_F(QuotaWakeTest, ABoundPodThatIsToGrowTakesNothingOfItsGroupBesideWhatItIsCharged) {
  auto grows = MakeGroupPod("grows", 4, "team");
  grows->topology_awareness = true;  // no node has zones
  grows->node_name = "n0";
  const ResourceVector in_force{{kCpu, 2000}};
  grows->containers[0].status.emplace() = {.requests = in_force, .limits = in_force, .allocated = in_force};
  placement->Apply(cluster::PodSet{grows});
  EXPECT_EQ(Used("team"), "6");
  Reject(grows);
  Reject(MakeGroupPod("b", 3, "team"));
  Set(MakeGroup("team", {{"limits.cpu", "9"}}, "org"));
  placement->Apply(cluster::TopologySet{MakeTopology("n0", {8000})});
  EXPECT_THAT(Search(), ElementsAre("n0: grows", "any n0: b"));
}

TEST_F(QuotaWakeTest, WhoeverIsRejectedAgainOrGoesLeavesItsRoomToOthers) {
  for (const char* uid : {"a", "b", "c", "d", "e"}) {
    auto pod = MakeGroupPod(uid, 1, "team");
    placement->Apply(cluster::PodSet{pod});
    Reject(pod);
  }
  Set(MakeGroup("team", {{"limits.cpu", "4"}}, "org"));
  EXPECT_THAT(Wakes(kNow), ElementsAre("a", "b"));
  placement->Apply(cluster::PodGone{"a"});
  EXPECT_THAT(Wakes(kNow), ElementsAre("c"));
  auto again = MakeGroupPod("b", 1, "team", "B7");  // no node is of that model
  placement->Apply(cluster::PodSet{again});
  Reject(again);
  EXPECT_THAT(Wakes(kNow), ElementsAre("d"));
  EXPECT_THAT(Wakes(kNow), IsEmpty());
}

TEST_F(QuotaWakeTest, AWriteToABoundPodThatGivesNothingBackIsNoReasonToLook) {
  Reject(MakeGroupPod("a", 1, "team"));
  Bind(*MakeGroupPod("holder", 2, "team"), "n39");
  Remind();
  EXPECT_FALSE(search_.Begin(kNow));
  Bind(*MakeGroupPod("holder", 1, "team"), "n39");
  Bind(*MakeGroupPod("holder", 1, "team"), "n39");
  Remind();
  EXPECT_THAT(Search(), ElementsAre("any n0: a")) << "it was made smaller";
  placement->waiting().Remove("a");
  Reject(MakeGroupPod("b", 2, "team"));
  Bind(*MakeGroupPod("holder", 1, "org"), "n39");
  Remind();
  EXPECT_THAT(Search(kNow + seconds(10)), ElementsAre("any n0: b")) << "it went to another group";
  placement->Apply(cluster::PodGone{"holder"});
  Bind(*MakeGroupPod("late", 1, "org"), "n39");
  Remind();
  EXPECT_TRUE(search_.Begin(kNow)) << "who went stays gone";
}

TEST_F(QuotaWakeTest, NobodyIsLookedForTwiceOnceTheRoomIsTaken) {
  for (const char* uid : {"a", "b", "c"}) Reject(MakeGroupPod(uid, 1, "team"));
  Set(MakeGroup("team", {{"limits.cpu", "4"}}, "org"));
  EXPECT_THAT(Search(), ElementsAre("any n0: a", "any n0: b"));
  for (const char* uid : {"a", "b"}) {
    placement->waiting().Remove(uid);
    ASSERT_TRUE(Reserve(MakeGroupPod(uid, 1, "team")));
  }
  EXPECT_THAT(Search(), IsEmpty());
  EXPECT_FALSE(search_.Begin(kNow)) << "and nothing is left to look at";
  EXPECT_EQ(placement->waiting().size(), 1u);
}

TEST_F(QuotaWakeTest, HundredsAreFoundInOneSearchForOneWrite) {
  for (int i = 0; i < 300; ++i) Reject(MakeGroupPod("p" + std::to_string(i), 1, "team"));
  Set(MakeGroup("team", {{"limits.cpu", "302"}}, "org"));
  ASSERT_TRUE(search_.Begin(kNow));
  while (search_.Step(kNow)) {
  }
  const auto wakes = search_.TakeWakes();
  ASSERT_EQ(wakes.size(), 1u);
  EXPECT_EQ(wakes[0].pods.size(), 300u);
}

TEST_F(QuotaWakeTest, AParentThatGrowsDoesNotFreeItsChild) {
  Reject(MakeGroupPod("a", 1, "team"));
  Set(MakeGroup("org", {{"limits.cpu", "200"}}));
  EXPECT_THAT(Search(), IsEmpty());
}

TEST_F(QuotaWakeTest, AChildThatShrinksOrGoesFreesItsParent) {
  Set(MakeGroup("org", {{"limits.cpu", "2"}}));
  Reject(MakeGroupPod("a", 1, "org"));
  Set(MakeGroup("team", {{"limits.cpu", "1"}}, "org"));
  EXPECT_THAT(Search(), ElementsAre("any n0: a"));
  Set(MakeGroup("team", {{"limits.cpu", "2"}}, "org"));
  Reject(MakeGroupPod("a", 1, "org"));
  EXPECT_THAT(Search(), IsEmpty());
  placement->Apply(cluster::BizGroupQuotaGone{"team"});
  EXPECT_THAT(Search(), ElementsAre("any n0: a"));
}

TEST_F(QuotaWakeTest, AGroupThatAppearsOrWhoseParentDoesOrThatGetsItsHours) {
  Reject(MakeGroupPod("a", 1, "new"));
  Set(MakeGroup("new", {{"cash/limits.cpu", "5"}}, "above"));
  EXPECT_THAT(Search(), IsEmpty());
  Set(MakeGroup("above", {}));
  EXPECT_THAT(Search(), IsEmpty());
  auto counted = MakeGroup("new", {{"cash/limits.cpu", "5"}}, "above");
  counted.self_used = AmountsOf({{"cash/limits.cpu", "0"}});
  Set(counted);
  EXPECT_THAT(Search(), ElementsAre("any n0: a"));
}

TEST_F(QuotaWakeTest, WhatAPodGivesBackIsLookedAtASecondLater) {
  Reject(MakeGroupPod("a", 1, "team"));
  placement->Apply(cluster::PodGone{"holder"});
  EXPECT_THAT(Search(), IsEmpty()) << "kube-scheduler sees that pod go by itself";
  Remind();
  EXPECT_THAT(Search(), ElementsAre("any n0: a"));
}

TEST_F(QuotaWakeTest, NodesOfAPodWhoseGroupStillRefusesAreNotLookedAt) {
  for (int i = 0; i < 10; ++i) Reject(MakeGroupPod("p" + std::to_string(i), 3, "team"));
  for (const std::string& name : node_names) placement->Apply(cluster::NodeSet{MakeNode(name)});
  Set(MakeGroup("team", {{"limits.cpu", "3"}}, "org"));
  EXPECT_THAT(Search(), IsEmpty());
  EXPECT_EQ(steps_, 10);
}

TEST_F(QuotaWakeTest, NodesOfAPodWhoseGroupRefusesItOnTheSameModelsAsBeforeAreNotLookedAt) {
  Set(MakeGroup("team", {{"limits.cpu", "9"}, {"limits.cpu.A4", "0"}}, "org"));
  auto pod = MakeGroupPod("a", 1, "team");
  pod->topology_awareness = true;  // no node has zones
  Reject(pod);
  Search();
  Set(MakeGroup("elsewhere", {{"limits.cpu", "1"}}));
  EXPECT_THAT(Search(), IsEmpty());
  EXPECT_EQ(steps_, 1);
  Set(MakeGroup("team", {{"limits.cpu", "9"}, {"limits.cpu.A4", "9"}}, "org"));
  EXPECT_THAT(Search(), IsEmpty());
  EXPECT_GT(steps_, 1);
}

TEST_F(QuotaWakeTest, AllNodesAreLookedAtOnceAndThenOnlyThoseThatChange) {
  auto pod = MakeGroupPod("a", 1, "team", "B7");
  Reject(pod);
  Set(MakeGroup("team", {{"limits.cpu", "4"}}, "org"));
  EXPECT_THAT(Search(), IsEmpty()) << "no node is of that model";
  EXPECT_EQ(steps_, 3) << "40 nodes, 16 at a time";
  Set(MakeGroup("team", {{"limits.cpu", "5"}}, "org"));
  EXPECT_THAT(Search(), IsEmpty());
  EXPECT_EQ(steps_, 1);
  cluster::Node node = MakeNode("n33");
  node.labels = {{"huygens.dev/cpu-model", "B7"}};
  placement->Apply(cluster::NodeSet{node});
  EXPECT_THAT(Search(), ElementsAre("n33: a"));
}

TEST_F(QuotaWakeTest, ANodeThatChangesWhileTheGroupRefusesIsNotForgotten) {
  Set(MakeGroup("team", {{"limits.cpu", "4"}}, "org"));
  Reject(MakeGroupPod("a", 1, "team", "B7"));  // for want of a node
  Set(MakeGroup("team", {{"limits.cpu", "2"}}, "org"));
  cluster::Node node = MakeNode("n33");
  node.labels = {{"huygens.dev/cpu-model", "B7"}};
  placement->Apply(cluster::NodeSet{node});
  EXPECT_THAT(Search(), IsEmpty());
  Set(MakeGroup("team", {{"limits.cpu", "4"}}, "org"));
  EXPECT_THAT(Search(), ElementsAre("any n33: a"));
}

TEST_F(QuotaWakeTest, OneByOneThoseForWhomNoWriteIsLeftAreFoundByTheNextSearch) {
  WakeSearch search(*placement, 2);
  search.TellOneByOne();
  Set(MakeGroup("org", {{"limits.cpu", "1000"}, {"limits.cpu.A4", "1000"}}));
  Set(MakeGroup("team", {{"limits.cpu", "9"}, {"limits.cpu.A4", "0"}}, "org"));
  for (const char* uid : {"a", "b", "c"}) {
    const auto pod = MakeGroupPod(uid, 1, "team");
    const std::string_view nodes[] = {"n0", "n2"};  // both of model A4
    placement->Remember(pod, placement->Filter(*pod, nodes, kNow));
  }
  EXPECT_THAT(Wakes(search, kNow), IsEmpty());
  Set(MakeGroup("team", {{"limits.cpu", "9"}, {"limits.cpu.A4", "9"}}, "org"));
  EXPECT_THAT(Wakes(search, kNow), ElementsAre("a", "b"));
  EXPECT_THAT(Wakes(search, kNow), ElementsAre("c"));
  Set(MakeGroup("team", {{"limits.cpu", "2"}}, "org"));
  for (const char* uid : {"d", "e", "f"}) Reject(MakeGroupPod(uid, 1, "team"));  // wherever they would go
  Set(MakeGroup("team", {{"limits.cpu", "9"}}, "org"));
  EXPECT_THAT(Wakes(search, kNow), ElementsAre("d", "e"));
  EXPECT_THAT(Wakes(search, kNow), ElementsAre("f"));
}

TEST_F(QuotaWakeTest, SearchingLeavesNoTraceInTheBudgets) {
  for (const char* uid : {"a", "b"}) Reject(MakeGroupPod(uid, 1, "team"));
  Set(MakeGroup("team", {{"limits.cpu", "3"}}, "org"));
  EXPECT_THAT(Search(), ElementsAre("any n0: a"));
  EXPECT_EQ(Used("team"), "2");
  EXPECT_EQ(placement->Reconcile(40), 0u);
}

}  // namespace
}  // namespace huygens::placement
