#include "placement/wake_search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cluster/build.h"
#include "tests/kubelet/node.h"

namespace huygens::placement {
namespace {

using namespace test;  // NOLINT: builders of the same words
using kubelet::test::GuaranteedPod;
using kubelet::test::Object;
using testing::ElementsAre;
using testing::IsEmpty;

// Nodes n0, n1, ... of one zone with 2 CPUs each.
class WakeSearchTest : public testing::Test {
 protected:
  explicit WakeSearchTest(size_t capacity = 100, size_t most_nodes = 16)
      : placement_(*Placement::Create({.waiting_pods = capacity})), search_(*placement_, most_nodes) {
    for (int i = 0; i < 40; ++i) {
      names_.push_back("n" + std::to_string(i));
      placement_->Apply(cluster::NodeSet{MakeNode(names_.back())});
      Give(names_.back(), 2);
    }
  }
  void Give(const std::string& node, int64_t cpus) {
    placement_->Apply(cluster::TopologySet{MakeTopology(node, {cpus * 1000})});
  }
  // As filter and extender/filter.cc do.
  std::shared_ptr<cluster::Pod> Ask(const std::string& uid, int64_t cpus, const std::vector<std::string>& nodes) {
    auto pod = MakePod(uid, cpus);
    pod->topology_awareness = true;
    Ask(pod, nodes);
    return pod;
  }
  void Ask(const std::shared_ptr<cluster::Pod>& pod, const std::vector<std::string>& nodes) {
    std::vector<std::string_view> names(nodes.begin(), nodes.end());
    placement_->Remember(pod, placement_->Filter(*pod, names, kNow));
  }
  void Bind(const std::string& uid, int64_t cpus, const std::string& node) {
    placement_->waiting().Remove(uid);
    ASSERT_TRUE(placement_->Reserve(MakePod(uid, cpus), node, kNow)->Accepted());
  }
  // "n3: a b" for each node that gained.
  std::vector<std::string> Search(Time now = kNow) {
    std::vector<std::string> texts;
    if (!search_.Begin(kNow)) return texts;
    while (search_.Step(now)) {
    }
    for (const Wake& wake : search_.TakeWakes()) {
      texts.push_back(std::string(placement_->state().NodeName(wake.node)) + ":");
      for (const auto& pod : wake.pods) texts.back() += Concat(" ", pod->uid);
    }
    return texts;
  }

  std::unique_ptr<Placement> placement_;
  WakeSearch search_;
  std::vector<std::string> names_;
};

TEST_F(WakeSearchTest, FindsARejectedPodWhenAZoneGains) {
  Ask("a", 4, {"n0", "n1"});
  EXPECT_THAT(Search(), IsEmpty());
  Give("n1", 4);
  EXPECT_THAT(Search(), ElementsAre("n1: a"));
}

TEST_F(WakeSearchTest, ASmallerZoneOrOneThatGainedTooLittleWakesNobody) {
  Ask("a", 4, {"n0", "n1"});
  Give("n0", 1);
  Give("n1", 3);
  EXPECT_THAT(Search(), IsEmpty());
}

TEST_F(WakeSearchTest, APodThatFitsSomewhereDoesNotWait) {
  Ask("a", 2, {"n0"});
  EXPECT_EQ(placement_->waiting().size(), 0u);
  Ask("b", 4, {"n0"});
  EXPECT_EQ(placement_->waiting().size(), 1u);
  Give("n0", 4);
  Ask("b", 4, {"n0"});
  EXPECT_EQ(placement_->waiting().size(), 0u);
}

TEST_F(WakeSearchTest, ANodeThatFilterWasNotAskedAboutWakesNobody) {
  Ask("a", 4, {"n0", "n1"});
  Give("n2", 4);
  EXPECT_THAT(Search(), IsEmpty());
}

TEST_F(WakeSearchTest, ANodeThatWasNotKnownWhenFilterWasAskedCounts) {
  Ask("a", 4, {"n0", "new"});
  placement_->Apply(cluster::NodeSet{MakeNode("new")});
  EXPECT_THAT(Search(), IsEmpty()) << "it has no topology object yet, and the pod demands one";
  Give("new", 4);
  EXPECT_THAT(Search(), ElementsAre("new: a"));
}

TEST_F(WakeSearchTest, ATopologyObjectThatGoesCanMakeRoomToo) {
  placement_ = *Placement::Create({.waiting_pods = 10});
  placement_->Apply(cluster::NodeSet{MakeNode("n0")});
  Give("n0", 2);
  auto pod = MakePod("a", 4);
  const std::vector<std::string_view> names = {"n0"};
  placement_->Remember(pod, placement_->Filter(*pod, names, kNow));
  placement_->Apply(cluster::TopologyGone{cluster::TopologySource::kCrane, "n0"});
  (void)placement_->AgeLosses(std::chrono::minutes(0));
  WakeSearch early(*placement_, 16);
  EXPECT_FALSE(early.Begin(kNow)) << "it may come back";
  (void)placement_->AgeLosses(std::chrono::minutes(10));
  WakeSearch search(*placement_, 16);
  ASSERT_TRUE(search.Begin(kNow));
  while (search.Step(kNow)) {
  }
  EXPECT_EQ(search.TakeWakes().size(), 1u);
}

TEST_F(WakeSearchTest, ANodeThatGoesDuringTheSearchIsLeftOutAndItsPodsAreLookedAtAgain) {
  Ask("a", 4, names_);
  Ask("b", 4, names_);
  Give("n1", 8);
  Give("n2", 8);
  ASSERT_TRUE(search_.Begin(kNow));
  while (search_.Step(kNow)) {
  }
  placement_->Apply(cluster::NodeGone{"n1"});
  EXPECT_TRUE(search_.TakeWakes().empty());
  EXPECT_THAT(Search(), ElementsAre("n2: a b"));
}

TEST_F(WakeSearchTest, EachPodIsFoundForOneNodeAndInItsTurn) {
  Ask("late", 5, names_);
  Ask("b", 3, names_);
  Ask("a", 3, names_);
  Give("n7", 8);
  Give("n5", 8);
  EXPECT_THAT(Search(), ElementsAre("n5: late b a")) << "not all at once, but two of them";
}

TEST_F(WakeSearchTest, WhereOnlyOneOfSeveralFitsItIsTheFirstAndThenTheNext) {
  for (const char* uid : {"a", "b", "c"}) Ask(uid, 3, {"n0"});
  Give("n0", 5);
  EXPECT_THAT(Search(), ElementsAre("n0: a"));
  placement_->waiting().Remove("a");
  EXPECT_THAT(Search(), ElementsAre("n0: b")) << "a went elsewhere";
  ASSERT_TRUE(placement_->Reserve(MakePod("b", 3), "n0", kNow)->Accepted());
  EXPECT_THAT(Search(), IsEmpty());
}

TEST_F(WakeSearchTest, NodesThatGainRoomForOneEachGetOneEach) {
  for (const char* uid : {"a", "b", "c"}) Ask(uid, 4, names_);
  for (const char* node : {"n3", "n1", "n2"}) Give(node, 5);
  EXPECT_THAT(Search(), ElementsAre("n1: a", "n2: b", "n3: c"));
}

TEST_F(WakeSearchTest, NobodyIsFoundForNodesThatNobodyNeedsAnyMore) {
  Ask("a", 4, names_);
  Ask("large", 9, names_);
  for (const char* node : {"n1", "n2", "n3"}) Give(node, 5);
  EXPECT_THAT(Search(), ElementsAre("n1: a"));
  placement_->waiting().Remove("a");
  EXPECT_FALSE(search_.Begin(kNow));
}

TEST_F(WakeSearchTest, APodThatIsSentOnAndFoundElsewhereLeavesNoNodeToLookAtAgain) {
  for (const char* uid : {"a", "b"}) Ask(uid, 4, names_);
  Ask("large", 9, names_);
  for (const char* node : {"n1", "n2"}) Give(node, 5);
  EXPECT_THAT(Search(), ElementsAre("n1: a", "n2: b"));
  for (const char* uid : {"a", "b"}) placement_->waiting().Remove(uid);
  EXPECT_FALSE(search_.Begin(kNow));
}

TEST_F(WakeSearchTest, APodThatAllSendOnIsLookedForAgainOnAllOfThem) {
  for (const char* uid : {"a", "b", "c", "d"}) Ask(uid, 4, names_);
  for (const char* node : {"n1", "n2", "n3"}) Give(node, 5);
  EXPECT_THAT(Search(), ElementsAre("n1: a", "n2: b", "n3: c"));
  Bind("a", 4, "n3");
  Bind("b", 4, "n1");
  placement_->waiting().Remove("c");
  EXPECT_THAT(Search(), ElementsAre("n2: d")) << "c went elsewhere";
  Bind("d", 4, "n2");
  Ask("e", 4, names_);
  EXPECT_THAT(Search(), IsEmpty());
  EXPECT_FALSE(search_.Begin(kNow));
}

TEST_F(WakeSearchTest, WhoFitsBesideTheFirstStaysThoughAnotherWasSentOn) {
  Ask("a", 4, names_);
  Ask("b", 4, names_);
  Ask("small", 3, names_);
  Give("n1", 7);
  Give("n2", 5);
  EXPECT_THAT(Search(), ElementsAre("n1: a small", "n2: b"));
}

TEST_F(WakeSearchTest, ANodeIsNotForgottenByThosePodsThatWereNotAskedForAnyMore) {
  for (int i = 0; i < 9; ++i) Ask(Concat("p", std::to_string(i)), 4, names_);
  Ask("late", 4, {"n1"});
  for (int i = 1; i < 10; ++i) Give(Concat("n", std::to_string(i)), 5);
  EXPECT_THAT(Search(),
              ElementsAre("n1: p0", "n2: p1", "n3: p2", "n4: p3", "n5: p4", "n6: p5", "n7: p6", "n8: p7", "n9: p8"));
  for (int i = 0; i < 9; ++i) placement_->waiting().Remove(Concat("p", std::to_string(i)));
  EXPECT_THAT(Search(), ElementsAre("n1: late")) << "p0 went elsewhere";
}

TEST_F(WakeSearchTest, SearchingLeavesNoTraceInTheAccounts) {
  for (const char* uid : {"a", "b"}) Ask(uid, 3, {"n0"});
  Give("n0", 5);
  EXPECT_THAT(Search(), ElementsAre("n0: a"));
  EXPECT_EQ(placement_->Describe("n0", kNow)->zones.at(0).free.Get(kCpu), 5000);
  EXPECT_EQ(placement_->Reconcile(40), 0u);
}

TEST_F(WakeSearchTest, NodesBeyondTheLimitCountAsChangedAgain) {
  WakeSearch one(*placement_, 1);
  Ask("a", 4, {"n0"});
  Ask("b", 4, {"n1"});
  Give("n0", 4);
  Give("n1", 4);
  ASSERT_TRUE(one.Begin(kNow));
  while (one.Step(kNow)) {
  }
  auto wakes = one.TakeWakes();
  ASSERT_EQ(wakes.size(), 1u);
  placement_->waiting().Remove("a");
  EXPECT_THAT(Search(), ElementsAre("n1: b"));
}

TEST_F(WakeSearchTest, AllNodesBeyondTheLimitCountAsChangedAgainNotOnlyTheFirst) {
  WakeSearch one(*placement_, 1);
  for (const char* uid : {"a", "b", "c"}) Ask(uid, 4, names_);
  for (const char* node : {"n1", "n2", "n3"}) Give(node, 5);
  ASSERT_TRUE(one.Begin(kNow));
  while (one.Step(kNow)) {
  }
  EXPECT_EQ(one.TakeWakes().size(), 1u);
  Bind("a", 4, "n1");
  EXPECT_THAT(Search(), ElementsAre("n2: b", "n3: c"));
}

TEST_F(WakeSearchTest, NodesBeyondTheLimitAreNotLookedAtUntilTheNextSearch) {
  WakeSearch one(*placement_, 1);
  for (const char* uid : {"a", "b"}) Ask(uid, 4, names_);
  Ask("large", 9, names_);
  for (const std::string& node : names_) Give(node, 5);
  ASSERT_TRUE(one.Begin(kNow));
  int steps = 0;
  while (one.Step(kNow)) ++steps;
  EXPECT_EQ(steps, 4) << "a: 1; b: 2, since n0 sends it on; large: 1, not the 3 that 40 nodes would take";
}

TEST_F(WakeSearchTest, APodThatIsPlacedEndedOrGoneIsForgotten) {
  auto placed = Ask("placed", 4, {"n0"});
  auto ended = Ask("ended", 4, {"n0"});
  auto gone = Ask("gone", 4, {"n0"});
  for (const auto& pod : {placed, ended, gone}) placement_->Apply(cluster::PodSet{pod});
  Give("n0", 3);
  EXPECT_THAT(Search(), IsEmpty());
  EXPECT_EQ(placement_->waiting().size(), 3u);

  auto bound = std::make_shared<cluster::Pod>(*placed);
  bound->node_name = "n1";
  placement_->Apply(cluster::PodSet{bound});
  auto failed = std::make_shared<cluster::Pod>(*ended);
  failed->phase = cluster::PodPhase::kFailed;
  placement_->Apply(cluster::PodSet{failed});
  placement_->Apply(cluster::PodGone{"gone"});
  Give("n0", 4);
  EXPECT_THAT(Search(), IsEmpty());
  EXPECT_EQ(placement_->waiting().size(), 0u);
}

TEST_F(WakeSearchTest, APodThatIsBeingWokenIsNotFoundAgainUntilThatFailedOrFilterRejectedItAgain) {
  Ask("a", 4, {"n0"});
  Give("n0", 4);
  EXPECT_THAT(Search(), ElementsAre("n0: a"));
  WaitingPods& waiting = placement_->waiting();
  waiting.BeginWaking("a");
  Give("n0", 4);
  EXPECT_THAT(Search(), IsEmpty());
  waiting.EndWaking("a", false);
  Give("n0", 4);
  EXPECT_THAT(Search(), ElementsAre("n0: a"));

  waiting.BeginWaking("a");
  Give("n0", 1);
  Ask("a", 4, {"n0"});
  waiting.EndWaking("a", true);
  EXPECT_EQ(waiting.size(), 1u) << "filter has rejected it since";
  waiting.BeginWaking("a");
  waiting.EndWaking("a", true);
  EXPECT_EQ(waiting.size(), 0u);
}

TEST_F(WakeSearchTest, WhatAPodGivesBackIsLookedAtASecondLater) {
  auto holder = MakePod("holder", 2);
  ASSERT_TRUE(placement_->Reserve(holder, "n0", kNow)->Accepted());
  Ask("a", 2, {"n0"});
  placement_->Release("holder");
  EXPECT_THAT(Search(), IsEmpty());
  placement_->waiting().Remind(0, 40);
  EXPECT_THAT(Search(), IsEmpty());
  placement_->waiting().Remind(0, 40);
  EXPECT_THAT(Search(), ElementsAre("n0: a"));
}

TEST_F(WakeSearchTest, RemindingFindsARealCapacityThatWentOutOfDate) {
  auto topology = MakeTopology("n0", {8000});
  topology.zones[0].offline_cpu = 2000;
  topology.zones[0].offline_updated = kNow;
  placement_->Apply(cluster::TopologySet{topology});
  Ask("a", 4, {"n0"});
  const Time later = kNow + std::chrono::minutes(6);
  EXPECT_THAT(Search(later), IsEmpty());
  placement_->waiting().Remind(40, 40);
  EXPECT_THAT(Search(later), ElementsAre("n0: a"));
}

// Nodes k0, k1, ... of two zones, of which so many CPUs are free in kubelet's eyes.
class KubeletWakeSearchTest : public WakeSearchTest {
 protected:
  KubeletWakeSearchTest() {
    for (const std::string& name : kubelet_names_) {
      placement_->Apply(cluster::NodeSet{MakeNode(name)});
      Publish(name, 3, 3);
    }
  }
  void Publish(const std::string& node, int64_t cpus, int64_t other_cpus,
               const std::string& policy = "single-numa-node") {
    auto object = Object({{cpus, 16}, {other_cpus, 16}}, policy);
    object.node_name = node;
    placement_->Apply(cluster::TopologySet{std::move(object)});
  }
  void AskFour(const std::string& name) { Ask(GuaranteedPod(name, {{4, 2}}), kubelet_names_); }

  const std::vector<std::string> kubelet_names_ = {"k0", "k1", "k2"};
};

TEST_F(KubeletWakeSearchTest, FindsARejectedPodWhenOneZoneGains) {
  AskFour("a");
  EXPECT_EQ(placement_->waiting().size(), 1u);
  EXPECT_THAT(Search(), IsEmpty());
  Publish("k1", 2, 3);
  EXPECT_THAT(Search(), IsEmpty()) << "five CPUs, but of two zones";
  Publish("k1", 2, 4);
  EXPECT_THAT(Search(), ElementsAre("k1: uid-a"));
}

TEST_F(KubeletWakeSearchTest, APolicyThatAsksLessOrAnObjectThatGoesMakesRoomToo) {
  AskFour("a");
  Publish("k2", 3, 3, "best-effort");
  EXPECT_THAT(Search(), ElementsAre("k2: uid-a"));
  Publish("k2", 3, 3);
  EXPECT_THAT(Search(), IsEmpty());
  placement_->Apply(cluster::TopologyGone{cluster::TopologySource::kCommunity, "k2"});
  (void)placement_->AgeLosses(std::chrono::minutes(0));
  (void)placement_->AgeLosses(std::chrono::minutes(10));
  EXPECT_THAT(Search(), ElementsAre("k2: uid-a"));
}

TEST_F(KubeletWakeSearchTest, AllThatFitAreFoundForTheFirstSinceNobodyKnowsWhetherItTakesSeveral) {
  for (const char* name : {"a", "b", "c"}) AskFour(name);
  for (const std::string& node : kubelet_names_) Publish(node, 4, 3);
  EXPECT_THAT(Search(), ElementsAre("k0: uid-a uid-b uid-c"));
}

TEST_F(WakeSearchTest, TheFirstGoWhenThereAreTooMany) {
  placement_ = *Placement::Create({.waiting_pods = 2});
  placement_->Apply(cluster::NodeSet{MakeNode("n0")});
  Give("n0", 2);
  for (const char* uid : {"a", "b", "c"}) Ask(uid, 4, {"n0"});
  EXPECT_EQ(placement_->waiting().size(), 2u);
  uint64_t turn = 0;
  EXPECT_EQ(placement_->waiting().Next(turn)->pod->uid, "b");
}

TEST_F(WakeSearchTest, RemembersNothingWhileNobodyWaits) {
  Give("n0", 4);
  EXPECT_FALSE(search_.Begin(kNow));
  Ask("a", 8, {"n0"});
  Give("n0", 5);
  placement_->waiting().Remove("a");
  EXPECT_FALSE(search_.Begin(kNow));
}

TEST_F(WakeSearchTest, AStepAsksAboutFewNodes) {
  Ask("a", 4, names_);
  for (const std::string& name : names_) Give(name, 3);
  ASSERT_TRUE(search_.Begin(kNow));
  int steps = 0;
  while (search_.Step(kNow)) ++steps;
  EXPECT_EQ(steps, 3) << "40 nodes, 16 at a time";
}

}  // namespace
}  // namespace huygens::placement
