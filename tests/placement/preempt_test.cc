#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <bit>

#include "placement/node_fit.h"
#include "placement/placement.h"
#include "tests/cluster/build.h"

namespace huygens::placement {
namespace {

using namespace test;  // NOLINT: builders of the same words
using testing::ElementsAre;
using testing::IsEmpty;

// One managed node of 9 CPUs with two zones of 4.
class PreemptTest : public testing::Test {
 protected:
  PreemptTest() : placement_(std::move(*Placement::Create({}))) {
    AddNode("n", 9);
    preemptor_ = MakePod("preemptor", 4);
    preemptor_->priority = 1000;
    preemptor_->topology_awareness = true;
  }

  void AddNode(const std::string& name, int64_t cpus) {
    cluster::Node node = MakeNode(name);
    node.allocatable = {{kCpu, cpus * 1000}, {kPodSlots, 110}};
    placement_->Apply(cluster::NodeSet{node});
    placement_->Apply(cluster::TopologySet{MakeTopology(name, {4000, 4000})});
  }
  // A bound pod that holds so much of a zone; zone -1: of none.
  std::shared_ptr<cluster::Pod> Add(const std::string& uid, int64_t cpus, int zone, int priority,
                                    const std::string& node = "n") {
    auto pod = MakePod(uid, cpus);
    pod->priority = priority;
    pod->node_name = node;
    if (zone >= 0) pod->placement_mark = {pod->uid, node, {{zone, {{kCpu, cpus * 1000}}}}};
    placement_->Apply(cluster::PodSet{pod});
    return pod;
  }
  void Change(const cluster::Pod& pod) {
    placement_->Apply(cluster::PodSet{std::make_shared<const cluster::Pod>(pod)});
  }
  Preemption Ask(std::vector<std::string_view> chosen, const std::string& node = "n") {
    const PreemptionCandidate candidate{node, std::move(chosen)};
    return placement_->Preempt(*preemptor_, {&candidate, 1}, kNow).at(0);
  }
  std::vector<std::string_view> Victims(std::vector<std::string_view> chosen) { return Ask(std::move(chosen)).victims; }

  std::unique_ptr<Placement> placement_;
  std::shared_ptr<cluster::Pod> preemptor_;
};

TEST_F(PreemptTest, KeepsVictimsThatFreeTheZone) {
  Add("a", 4, 0, 10);
  Add("b", 4, 1, 5);
  EXPECT_THAT(Victims({"a"}), ElementsAre("a")) << "kube-scheduler knows the disruption budgets: its choice stands";
}

TEST_F(PreemptTest, FindsTheVictimsWhereKubeSchedulerNeedsNone) {
  Add("a", 2, 0, 10);
  Add("b", 2, 1, 5);
  EXPECT_THAT(Victims({}), ElementsAre("b"));
}

// Kubernetes 1.37 makes room for a pod that is to grow in place by preemption, and asks about the bound pod itself.
TEST_F(PreemptTest, WhatThePodHoldsItselfIsNoRoomThatOthersMustMake) {
  Add("neighbour", 2, 0, 5);
  Add("other-zone", 4, 1, 5);
  Add("preemptor", 2, 0, 1000);
  preemptor_ = MakePod("preemptor", 4);
  preemptor_->priority = 1000;
  preemptor_->topology_awareness = true;
  EXPECT_THAT(Victims({"neighbour"}), ElementsAre("neighbour"))
      << "zone 0 holds the grown pod once the neighbour has gone";
  EXPECT_EQ(placement_->Reconcile(10), 0u) << "asking changes nothing";
}

TEST_F(PreemptTest, TakesTheHolderOfTheZoneInsteadOfTheWrongVictim) {
  Add("high", 2, 0, 2000);
  Add("holder", 2, 1, 20);
  Add("outside", 2, -1, 1);
  EXPECT_THAT(Victims({"outside"}), ElementsAre("holder"));
}

TEST_F(PreemptTest, AddsToVictimsThatTheNodeNeedsAnyway) {
  Add("high", 2, 0, 2000);
  Add("holder", 2, 1, 20);
  Add("outside", 4, -1, 1);
  EXPECT_THAT(Victims({"outside"}), ElementsAre("holder", "outside"));
}

TEST_F(PreemptTest, AVictimThatIsNotThereForItsRoomIsNotSpared) {
  Add("high", 2, 0, 2000);
  Add("holder", 2, 1, 20);
  Add("conflicts", 1, -1, 1);
  EXPECT_THAT(Victims({"conflicts"}), ElementsAre("holder", "conflicts")) << "a host port, say";
}

TEST_F(PreemptTest, WhereTheBooksDisagreeWithKubeSchedulerItsVictimsStay) {
  Add("high", 2, 0, 2000);
  Add("holder", 2, 1, 20);
  Add("outside", 2, -1, 1);
  placement_->Apply(cluster::NodeSet{MakeNode("n")});  // no allocatable: nothing would ever fit
  EXPECT_THAT(Victims({"outside"}), ElementsAre("holder", "outside"));
}

TEST_F(PreemptTest, DropsANodeWhereNobodyOfLowerPriorityHelps) {
  Add("same", 4, 0, 1000);
  Add("high", 2, 1, 1001);
  Add("low", 2, 1, 0);
  const Preemption preemption = Ask({"low"});
  EXPECT_THAT(preemption.victims, IsEmpty());
  EXPECT_EQ(preemption.reason, Reason::kInsufficientZones);
}

TEST_F(PreemptTest, DropsNodesThatCannotBeHelpedOrAreUnknown) {
  preemptor_ = MakePod("preemptor", 5);
  preemptor_->priority = 1000;
  preemptor_->topology_awareness = true;
  Add("a", 4, 0, 0);
  EXPECT_EQ(Ask({"a"}).reason, Reason::kZonesTooSmall);
  EXPECT_EQ(Ask({"a"}, "nobody").reason, Reason::kUnknownNode);
  EXPECT_THAT(Ask({"a"}, "nobody").victims, IsEmpty());
}

TEST_F(PreemptTest, DropsANodeWhereNobodyHasToLeave) {
  Add("a", 4, 0, 0);
  const Preemption preemption = Ask({});
  EXPECT_THAT(preemption.victims, IsEmpty());
  EXPECT_EQ(preemption.reason, Reason::kFits);
}

TEST_F(PreemptTest, PreemptsNobodyForAPodThatNeverPreempts) {
  Add("a", 4, 0, 0);
  Add("b", 4, 1, 0);
  preemptor_->preempts = false;
  EXPECT_THAT(Victims({"a"}), IsEmpty());
}

TEST_F(PreemptTest, NamesOnlyPodsOfTheNodeThatKubeSchedulerMayEvict) {
  AddNode("other", 9);
  Add("a", 4, 0, 0);
  Add("b", 4, 1, 2000);
  Add("elsewhere", 4, 0, 0, "other");
  EXPECT_THAT(Victims({"elsewhere", "b"}), ElementsAre("a"));
  EXPECT_THAT(Victims({"elsewhere", "a", "b"}), ElementsAre("a"));
}

TEST_F(PreemptTest, APodThatTheWatchHasNotShownIsKubeSchedulersWord) {
  Add("a", 4, 0, 0);
  Add("b", 4, 1, 2000);
  EXPECT_THAT(Victims({"unheard-of"}), ElementsAre("a", "unheard-of"));
}

TEST_F(PreemptTest, APodThatLeavesAnywayIsTakenFirst) {
  auto a = Add("a", 4, 0, 999);
  Add("b", 4, 1, 0);
  EXPECT_THAT(Victims({}), ElementsAre("b"));
  cluster::Pod leaving = *a;
  leaving.deleting = true;
  Change(leaving);
  EXPECT_THAT(Victims({}), ElementsAre("a"));
}

TEST_F(PreemptTest, AReservedPodIsNoVictimUnlessKubeSchedulerNamesIt) {
  auto reserved = MakePod("reserved", 4);
  reserved->topology_awareness = true;
  ASSERT_TRUE(placement_->Reserve(reserved, "n", kNow)->Accepted());
  Add("high", 4, 1, 2000);
  EXPECT_THAT(Victims({}), IsEmpty());
  EXPECT_THAT(Victims({"reserved"}), ElementsAre("reserved"));
}

TEST_F(PreemptTest, AsksForBothZonesOfAPodThatCrosses) {
  preemptor_ = MakePod("preemptor", 8);
  preemptor_->priority = 1000;
  Add("a", 1, 0, 3);
  Add("b", 1, 1, 4);
  EXPECT_THAT(Victims({}), ElementsAre("b", "a"));
}

TEST_F(PreemptTest, AnswersEachCandidateByItself) {
  AddNode("m", 9);
  AddNode("full", 9);
  Add("a", 4, 0, 5);
  Add("b", 4, 1, 7);
  Add("c", 4, 0, 8, "m");
  Add("d", 4, 1, 2, "m");
  Add("e", 4, 0, 2000, "full");
  Add("f", 4, 1, 2000, "full");
  const std::vector<PreemptionCandidate> candidates = {{"n", {"b"}}, {"m", {}}, {"full", {}}};
  const auto answer = placement_->Preempt(*preemptor_, candidates, kNow);
  ASSERT_EQ(answer.size(), 3u);
  EXPECT_THAT(answer[0].victims, ElementsAre("b"));
  EXPECT_THAT(answer[1].victims, ElementsAre("d"));
  EXPECT_THAT(answer[2].victims, IsEmpty());
}

TEST_F(PreemptTest, AskingChangesNothing) {
  Add("a", 3, 0, 0);
  Add("b", 2, 1, 0);
  const auto revision = placement_->state().revision();
  const auto free = [&](size_t zone) { return placement_->Describe("n", kNow)->zones.at(zone).free.Get(kCpu); };
  EXPECT_THAT(Victims({}), ElementsAre("b"));
  EXPECT_THAT(Victims({"a"}), ElementsAre("a"));
  preemptor_->priority = 0;
  EXPECT_THAT(Victims({"a"}), IsEmpty());
  EXPECT_EQ(placement_->state().revision(), revision);
  EXPECT_EQ(free(0), 1000);
  EXPECT_EQ(free(1), 2000);
  EXPECT_EQ(placement_->Reconcile(10), 0u);
}

// A node that is built anew without the pods that have gone, and asked as kube-scheduler and filter would.
class Rebuilt {
 public:
  Rebuilt(cluster::Node node, cluster::NodeTopology topology, std::vector<std::shared_ptr<cluster::Pod>> pods)
      : node_(std::move(node)), topology_(std::move(topology)), pods_(std::move(pods)) {}

  std::unique_ptr<Placement> Without(unsigned gone) const {
    auto placement = std::move(*Placement::Create({}));
    placement->Apply(cluster::NodeSet{node_});
    placement->Apply(cluster::TopologySet{topology_});
    for (size_t i = 0; i < pods_.size(); ++i) {
      if (!(gone >> i & 1)) placement->Apply(cluster::PodSet{pods_[i]});
    }
    return placement;
  }
  bool Room(const cluster::Pod& pod, unsigned gone) const {
    ResourceVector used;
    for (size_t i = 0; i < pods_.size(); ++i) {
      if (!(gone >> i & 1)) used.Add(RequestsOf(*pods_[i]));
    }
    return Lacking(RequestsOf(pod), node_.allocatable, used).empty();
  }
  bool ZonesFit(const cluster::Pod& pod, unsigned gone) const {
    const std::string_view name = node_.name;
    return !Without(gone)->Filter(pod, {&name, 1}, kNow).feasible.empty();
  }
  const cluster::Pod& pod(size_t i) const { return *pods_[i]; }
  size_t size() const { return pods_.size(); }

 private:
  cluster::Node node_;
  cluster::NodeTopology topology_;
  std::vector<std::shared_ptr<cluster::Pod>> pods_;
};

// Of the whole range, whatever the size of the case.
template <typename T>
T Pick(T from, T to) {
  return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange<T>(from, to));
}

RC_GTEST_PROP(PreemptProperty, TheVictimsAreTheBestThatMakeRoomInZonesAndNode, ()) {
  cluster::Node node = MakeNode("n");
  node.allocatable = {{kCpu, Pick(7, 11) * 1000}, {kPodSlots, 110}};
  std::vector<std::shared_ptr<cluster::Pod>> pods;
  const auto count = Pick<size_t>(2, 7);
  for (size_t i = 0; i < count; ++i) {
    auto pod = MakePod(std::to_string(i), Pick(1, 4));
    pod->priority = *rc::gen::element(-1, 0, 5, 100, 2000);
    pod->node_name = "n";
    pod->deleting = Pick(0, 6) == 0;
    if (const int zone = Pick(-1, 2); zone >= 0)
      pod->placement_mark = {pod->uid, pod->node_name, {{zone, PlacedRequestsOf(*pod)}}};
    pods.push_back(std::move(pod));
  }
  const Rebuilt rebuilt(node, MakeTopology("n", {4000, 4000}), pods);
  auto preemptor = MakePod("preemptor", Pick(3, 6));
  preemptor->priority = 100;
  preemptor->topology_awareness = *rc::gen::element(true, true, false);

  // kube-scheduler: all of lower priority go, then the more important are spared first, as far as the node has room.
  unsigned evictable = 0, chosen = 0;
  std::vector<size_t> order;
  for (size_t i = 0; i < count; ++i) {
    if (pods[i]->priority >= 100) continue;
    evictable |= 1u << i;
    order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return pods[a]->priority > pods[b]->priority; });
  RC_PRE(rebuilt.Room(*preemptor, evictable));
  chosen = evictable;
  for (size_t i : order) {
    if (rebuilt.Room(*preemptor, chosen & ~(1u << i))) chosen &= ~(1u << i);
  }
  PreemptionCandidate candidate{"n", {}};
  for (size_t i : order) {
    if (chosen >> i & 1) candidate.victims.push_back(pods[i]->uid);
  }

  // Every set, by the documented order.
  using Rank = std::tuple<int64_t, int64_t, int, std::vector<bool>>;
  std::optional<std::pair<Rank, unsigned>> best;
  for (unsigned set = 0; set < 1u << count; ++set) {
    if ((set & ~evictable) != 0 || !rebuilt.Room(*preemptor, set) || !rebuilt.ZonesFit(*preemptor, set)) continue;
    int64_t highest = INT64_MIN, sum = 0;
    std::vector<bool> by_importance;
    for (size_t i : order) {
      by_importance.push_back(set >> i & 1);
      if (!by_importance.back() || pods[i]->deleting) continue;
      highest = std::max<int64_t>(highest, pods[i]->priority);
      sum += pods[i]->priority + (int64_t{1} << 31);
    }
    Rank rank{highest, sum, std::popcount(set), by_importance};
    if (!best || rank < best->first) best = {rank, set};
  }
  unsigned expected = best ? best->second : 0;
  if (rebuilt.ZonesFit(*preemptor, chosen)) expected = chosen;

  auto placement = rebuilt.Without(0);
  const auto answer = placement->Preempt(*preemptor, {&candidate, 1}, kNow).at(0);
  unsigned victims = 0;
  for (std::string_view uid : answer.victims) victims |= 1u << (uid[0] - '0');
  RC_ASSERT(victims == expected);
  RC_ASSERT(placement->Reconcile(10) == 0u);
  RC_CLASSIFY(!best, "nobody could help");
  RC_CLASSIFY(best && expected != chosen, "not kube-scheduler's choice");
}

}  // namespace
}  // namespace huygens::placement
