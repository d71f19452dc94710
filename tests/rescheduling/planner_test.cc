// Which pods the planner moves where, and for which causes. Figures are tenths of a CPU; ceilings are at 80 of 100.
#include "rescheduling/planner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/placement/quota_groups.h"
#include "tests/rescheduling/cluster.h"

namespace huygens::rescheduling {
namespace {

using namespace test;  // NOLINT: builders of the same words
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class PlannerTest : public testing::Test, protected TestCluster {
 protected:
  explicit PlannerTest(std::vector<placement::CheckSetting> checks = {"topology", "usage"})
      : TestCluster(std::move(checks)) {}
  std::vector<std::string> Plan(std::vector<Violation> rules = {}) {
    return TestCluster::Plan(planner_, std::move(rules));
  }
  std::vector<std::string> Reasons() const { return TestCluster::Reasons(planner_); }

  Planner planner_{*placement, facts};
};

TEST_F(PlannerTest, WhereNothingIsTooHotNothingMoves) {
  AddNode("a");
  AddNode("b");
  Add("p", "a", {80});
  EXPECT_THAT(Plan(), IsEmpty()) << "the ceiling itself is allowed";
  EXPECT_EQ(planner_.hot_nodes(), 0u);
}

TEST_F(PlannerTest, TheSmallestPodThatClearsAllSlotsLeaves) {
  AddNode("a");
  AddNode("b");
  Add("large", "a", {40});
  Add("middle", "a", {25});
  Add("small", "a", {5});
  Add("evening", "a", {0, 0, 0, 0, 0, 19});  // at 89 then, and at 70 else
  EXPECT_THAT(Plan(), ElementsAre("evening a>b"));
  EXPECT_EQ(planner_.hot_nodes(), 1u);
  EXPECT_THAT(planner_.queue().front().clears, HasSubstr("cpu above the ceiling in 1 of 6 slots"));
  EXPECT_EQ(planner_.queue().front().workload, "default/ReplicaSet/web-evening");
}

TEST_F(PlannerTest, ALargerPodLeavesWhereTheSmallestWouldLeaveItsNodeAlmostTooHot) {
  AddNode("a");
  AddNode("b");
  Add("large", "a", {50});
  Add("middle", "a", {25});
  Add("small", "a", {10});  // 85; without it 75, which is no comfort
  EXPECT_THAT(Plan(), ElementsAre("middle a>b"));
}

TEST_F(PlannerTest, TheTargetIsWhereTheWeeksPeakStaysLowestNotWhereLessRuns) {
  AddNode("a");
  AddNode("b");
  AddNode("c");
  Add("stays", "a", {60});
  Add("day", "a", {30, 30, 30, 0, 0, 0});
  Add("night", "b", {0, 0, 0, 70, 70, 70});  // used more than c, but at other times: 70 with it, where c would be at 75
  Add("flat", "c", {45});
  EXPECT_THAT(Plan(), ElementsAre("day a>b"));
}

TEST_F(PlannerTest, WherePeaksAreSummedTimesDoNotCount) {
  TestCluster summed({"usage"}, usage::Estimator::kSumOfPeaks);
  for (const char* node : {"a", "b", "c"}) summed.AddNode(node);
  summed.Add("stays", "a", {60});
  summed.Add("day", "a", {30, 30, 30, 0, 0, 0});
  summed.Add("night", "b", {0, 0, 0, 60, 60, 60});
  summed.Add("flat", "c", {45});
  Planner planner(*summed.placement, summed.facts);
  EXPECT_THAT(summed.Plan(planner), ElementsAre("day a>c"));
}

TEST_F(PlannerTest, TwoLeaveWhereNoOneIsEnoughAndThreeWhereTwoAreNot) {
  AddNode("a");
  AddNode("b");
  Add("base", "a", {70});
  facts.unmovable = {"base"};
  for (const char* uid : {"p", "q", "r"}) Add(uid, "a", {10});  // 100: two have to go
  EXPECT_THAT(Plan(), ElementsAre("p a>b", "q a>b"));

  TestCluster three;
  three.AddNode("a");
  three.AddNode("b");
  three.Add("base", "a", {70});
  three.facts.unmovable = {"base"};
  for (const char* uid : {"p", "q", "r", "s"}) three.Add(uid, "a", {9});  // 106
  Planner planner(*three.placement, three.facts);
  EXPECT_THAT(three.Plan(planner), ElementsAre("p a>b", "q a>b", "r a>b"));
}

TEST_F(PlannerTest, WhereFourHaveToLeaveTheyDo) {
  AddNode("a", 10);
  AddNode("b", 20);
  Add("base", "a", {79});
  facts.unmovable = {"base"};
  for (const char* uid : {"p", "q", "r", "s", "t"}) Add(uid, "a", {7});  // 114: five have to go
  EXPECT_EQ(Plan().size(), 5u);
  for (const Move& move : planner_.queue()) CarryOut(move);
  EXPECT_EQ(PeakTenths("a"), 79);
}

TEST_F(PlannerTest, NoTargetIsSpokenForTwice) {
  for (const char* node : {"a", "b", "c", "d"}) AddNode(node);
  Add("a1", "a", {60});
  Add("a2", "a", {30});
  Add("b1", "b", {60});
  Add("b2", "b", {30});
  Add("c1", "c", {45});  // room for one of them
  Add("d1", "d", {75});
  EXPECT_THAT(Plan(), ElementsAre("a2 a>c"));
  EXPECT_THAT(Reasons(), ElementsAre(HasSubstr("b: no node stays below its ceiling")));
}

TEST_F(PlannerTest, HottestNodesComeFirst) {
  for (const char* node : {"a", "b", "c"}) AddNode(node);
  Add("a1", "a", {60});
  Add("a2", "a", {25});
  Add("b1", "b", {60});
  Add("b2", "b", {35});
  EXPECT_THAT(Plan(), ElementsAre("b2 b>c", "a2 a>c"));
}

TEST_F(PlannerTest, APodThatIsTooMuchAloneIsReportedAndNobodyElseEvictedForIt) {
  AddNode("a");
  AddNode("b");
  Add("giant", "a", {90});
  Add("other", "a", {3});
  EXPECT_THAT(Plan(), IsEmpty());
  EXPECT_THAT(Reasons(), ElementsAre(HasSubstr("a: ")));
}

TEST_F(PlannerTest, WhatTheFactsSayIsHeeded) {
  for (const char* node : {"a", "b", "c"}) AddNode(node);
  Add("p", "a", {50});
  Add("q", "a", {40});
  Add("load", "c", {20});
  facts.closed = {"b"};
  EXPECT_THAT(Plan(), ElementsAre("q a>c"));
  planner_.Clear();
  facts.closed.clear();
  facts.barred = {{"q", "b"}};
  EXPECT_THAT(Plan(), ElementsAre("q a>c"));
  planner_.Clear();
  facts.unmovable = {"q"};
  EXPECT_THAT(Plan(), ElementsAre("p a>b"));
  planner_.Clear();
  facts.not_left = {"a"};
  EXPECT_THAT(Plan(), IsEmpty()) << "its node is not Ready";
}

TEST_F(PlannerTest, WhoIsLeavingAlreadyCountsAsGone) {
  AddNode("a");
  AddNode("b");
  Add("p", "a", {50});
  Add("q", "a", {40});
  facts.leaving = {"q"};
  EXPECT_THAT(Plan(), IsEmpty());
  Add("r", "a", {45});
  EXPECT_THAT(Plan(), ElementsAre("r a>b")) << "with q gone, r is the smallest";
}

TEST_F(PlannerTest, RequestsHaveToFitTheTarget) {
  AddNode("a");
  AddNode("b");
  AddNode("c");
  Measure("p", {30});
  auto pod = MakeBound("p", "a");
  pod->containers.resize(1);
  pod->containers[0].requests = {{kCpu, 4000}};
  placement->Apply(cluster::PodSet{pod});
  Add("rest", "a", {60});
  Add("warm", "c", {10});
  Measure("full", {0});
  auto full = MakeBound("full", "b");
  full->containers.resize(1);
  full->containers[0].requests = {{kCpu, 7000}};
  placement->Apply(cluster::PodSet{full});
  EXPECT_THAT(Plan(), ElementsAre("p a>c"));
}

TEST_F(PlannerTest, FiguresThatAreNotFreshMoveNothing) {
  AddNode("a");
  AddNode("b");
  Add("p", "a", {50});
  Add("q", "a", {40});
  const Time later = kEnd + std::chrono::hours(2);
  planner_.Begin(later);
  while (planner_.Step(later)) {
  }
  EXPECT_THAT(Queue(planner_), IsEmpty());
}

TEST_F(PlannerTest, ACeilingThatIsOnlyReportedMovesNothing) {
  TestCluster reporting({{"usage", policy::CheckMode::kReport}});
  reporting.AddNode("a");
  reporting.AddNode("b");
  reporting.Add("p", "a", {50});
  reporting.Add("q", "a", {40});
  Planner planner(*reporting.placement, reporting.facts);
  EXPECT_THAT(reporting.Plan(planner), IsEmpty());
}

TEST_F(PlannerTest, ALaterSearchAppendsAndPlansNobodyTwice) {
  for (const char* node : {"a", "b", "c", "d"}) AddNode(node);
  Add("a1", "a", {60});
  Add("a2", "a", {30});
  EXPECT_THAT(Plan(), ElementsAre("a2 a>b"));
  EXPECT_THAT(Plan(), ElementsAre("a2 a>b"));
  Add("c1", "c", {60});
  Add("c2", "c", {25});
  EXPECT_THAT(Plan(), ElementsAre("a2 a>b", "c2 c>d"));
}

TEST_F(PlannerTest, AMoveWhoseTargetHasFilledUpIsPlannedAnew) {
  for (const char* node : {"a", "b", "c"}) AddNode(node);
  Add("a1", "a", {60});
  Add("a2", "a", {30});
  ASSERT_THAT(Plan(), ElementsAre("a2 a>b"));
  Add("b1", "b", {60});  // not too hot, but it would be with a2
  EXPECT_EQ(planner_.Recheck(planner_.queue().front(), kEnd), Readiness::kReplan);
  EXPECT_THAT(Plan(), ElementsAre("a2 a>c"));
}

TEST_F(PlannerTest, AMoveIsLookedAtAgainJustBeforeItIsCarriedOut) {
  for (const char* node : {"a", "b"}) AddNode(node);
  Add("a1", "a", {60});
  Add("a2", "a", {30});
  ASSERT_THAT(Plan(), ElementsAre("a2 a>b"));
  const Move move = planner_.queue().front();
  EXPECT_EQ(planner_.Recheck(move, kEnd), Readiness::kReady);
  Add("b1", "b", {60});
  EXPECT_EQ(planner_.Recheck(move, kEnd), Readiness::kReplan);
  facts.leaving = {"b1"};
  EXPECT_EQ(planner_.Recheck(move, kEnd), Readiness::kWait);
  facts.closed = {"b"};
  EXPECT_EQ(planner_.Recheck(move, kEnd), Readiness::kReplan);
  facts.closed.clear();
  placement->Apply(cluster::PodGone{"b1"});
  EXPECT_EQ(planner_.Recheck(move, kEnd), Readiness::kReady);
  facts.leaving = {"a1"};
  EXPECT_EQ(planner_.Recheck(move, kEnd), Readiness::kObsolete) << "a is relieved already";
  facts.leaving.clear();
  placement->Apply(cluster::PodGone{"a2"});
  EXPECT_EQ(planner_.Recheck(move, kEnd), Readiness::kObsolete);
}

TEST_F(PlannerTest, BrokenRulesMoveWhoBreaksThem) {
  AddNode("a");
  AddNode("b");
  Add("p", "a", {10});
  Add("q", "a", {10});
  EXPECT_THAT(Plan({{"q", "rule spread-web: more than 1 on a node"}}), ElementsAre("q a>b"));
  const Move move = planner_.queue().front();
  EXPECT_EQ(move.cause, Cause::kRule);
  EXPECT_EQ(move.clears, "rule spread-web: more than 1 on a node");
  EXPECT_EQ(planner_.Recheck(move, kEnd), Readiness::kReady);
  Plan();
  EXPECT_EQ(planner_.Recheck(move, kEnd), Readiness::kObsolete) << "the rule does not say so any more";
  planner_.Clear();
  facts.unmovable = {"q"};
  EXPECT_THAT(Plan({{"q", "rule"}}), IsEmpty());
  EXPECT_THAT(Reasons(), ElementsAre("a/pod-q: must stay"));
  facts.unmovable.clear();
  facts.closed = {"b"};
  EXPECT_THAT(Plan({{"q", "rule"}}), IsEmpty());
  EXPECT_THAT(Reasons(), ElementsAre("a/pod-q: no other node takes it"));
}

TEST_F(PlannerTest, PodsThatLeaveForARuleRelieveTheirNode) {
  AddNode("a");
  AddNode("b");
  Add("p", "a", {60});
  Add("q", "a", {30});
  EXPECT_THAT(Plan({{"p", "rule"}}), ElementsAre("p a>b"));
}

class PlannerZonesTest : public PlannerTest {
 protected:
  // A node of two zones, and a pod with this many milli-cores of each.
  void AddZones(const std::string& node, std::vector<int64_t> milli_cpus) {
    AddNode(node);
    placement->Apply(cluster::TopologySet{MakeTopology(node, milli_cpus)});
  }
  void AddPinned(const std::string& uid, const std::string& node, std::vector<int64_t> milli_cpus) {
    Measure(uid, {1});
    auto pod = MakeBound(uid, node);
    int64_t all = 0;
    std::vector<cluster::ZoneAmount> zones;
    for (size_t z = 0; z < milli_cpus.size(); ++z) {
      all += milli_cpus[z];
      if (milli_cpus[z] > 0) zones.push_back({static_cast<int>(z), {{kCpu, milli_cpus[z]}}});
    }
    pod->containers.resize(1);
    pod->containers[0].requests = pod->containers[0].limits = {{kCpu, all}, {kMemory, 1 << 20}};
    pod->cpu_policy = cluster::CpuPolicy::kNuma;
    pod->placement_mark = cluster::PlacementMark{.uid = uid, .node = node, .zones = zones};
    pod->has_topology_result = true;
    placement->Apply(cluster::PodSet{pod});
  }
};

TEST_F(PlannerZonesTest, APodThatIsSpreadOverZonesIsGatheredWhereItFitsOne) {
  AddZones("a", {4000, 4000});
  AddZones("b", {4000, 4000});
  AddPinned("p", "a", {2000, 2000});
  EXPECT_THAT(Plan(), ElementsAre("p a>b"));
  EXPECT_EQ(planner_.queue().front().cause, Cause::kZones);
  EXPECT_EQ(planner_.Recheck(planner_.queue().front(), kEnd), Readiness::kReady);
  AddPinned("q", "b", {1000, 0});
  AddPinned("r", "b", {0, 1000});
  EXPECT_EQ(planner_.Recheck(planner_.queue().front(), kEnd), Readiness::kReplan);
  planner_.Clear();
  EXPECT_THAT(Plan(), IsEmpty());
  EXPECT_THAT(Reasons(), IsEmpty()) << "it could only stand better";
}

TEST_F(PlannerZonesTest, ZonesThatShrankAreLeftByTheSmallestPodThatMendsIt) {
  AddZones("a", {4000, 4000});
  AddZones("b", {4000, 4000});
  AddPinned("p", "a", {2500, 0});
  AddPinned("q", "a", {1500, 0});
  AddPinned("r", "a", {0, 1000});
  EXPECT_THAT(Plan(), IsEmpty());
  placement->Apply(cluster::TopologySet{MakeTopology("a", {3000, 4000})});
  EXPECT_THAT(Plan(), ElementsAre("q a>b")) << "r holds none of that zone";
  EXPECT_EQ(planner_.queue().front().cause, Cause::kZones);
  EXPECT_EQ(planner_.Recheck(planner_.queue().front(), kEnd), Readiness::kReady);
  planner_.Clear();
  facts.closed = {"b"};
  EXPECT_THAT(Plan(), IsEmpty());
  EXPECT_THAT(Reasons(), ElementsAre(HasSubstr("a: no node takes")));
  placement->Apply(cluster::TopologySet{MakeTopology("a", {4000, 4000})});
  Plan();
  EXPECT_THAT(Reasons(), IsEmpty());
}

class PlannerModelTest : public PlannerTest {
 protected:
  PlannerModelTest() : PlannerTest({"usage", "quota"}) {
    AddNode("a", 10, "A4");
    AddNode("b", 10, "B7");
    placement->Apply(cluster::BizGroupQuotaSet{MakeGroup("team", {{"limits.cpu", "4"}, {"limits.cpu.B7", "4"}})});
  }
  void AddOfGroup(const std::string& uid, const std::string& node, std::string cpu_model, std::vector<int64_t> tenths) {
    Measure(uid, std::move(tenths));
    auto pod = MakeBound(uid, node);
    pod->containers.resize(1);
    pod->containers[0].requests = pod->containers[0].limits = {{kCpu, 4000}};
    pod->quota = std::make_shared<const cluster::QuotaLabels>(
        cluster::QuotaLabels{.group = "team", .cpu_model = std::move(cpu_model)});
    placement->Apply(cluster::PodSet{pod});
  }
};

TEST_F(PlannerModelTest, APodOnANodeOfAnotherModelMovesThoughItsGroupIsFull) {
  AddOfGroup("p", "a", "B7", {10});
  EXPECT_THAT(Plan(), ElementsAre("p a>b"));
  EXPECT_EQ(planner_.queue().front().cause, Cause::kModel);
  EXPECT_EQ(planner_.queue().front().group, "team");
  EXPECT_EQ(planner_.Recheck(planner_.queue().front(), kEnd), Readiness::kReady);
}

TEST_F(PlannerModelTest, AGroupAtItsBudgetDoesNotHoldItsPodsOnAHotNode) {
  AddNode("c", 10, "A4");
  AddOfGroup("p", "a", "A4", {50});
  Add("q", "a", {60});
  facts.unmovable = {"q"};
  EXPECT_THAT(Plan(), ElementsAre("p a>c")) << "b is of another model";
  EXPECT_EQ(planner_.Recheck(planner_.queue().front(), kEnd), Readiness::kReady);
}

TEST_F(PlannerModelTest, ABudgetOfTheTargetsModelHasToPayForIt) {
  AddOfGroup("p", "a", "", {50});
  AddOfGroup("there", "b", "", {0});
  Add("q", "a", {60});
  facts.unmovable = {"q"};
  EXPECT_THAT(Plan(), IsEmpty()) << "B7 is used up";
}

}  // namespace
}  // namespace huygens::rescheduling
