#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "placement/placement.h"
#include "policy/registry.h"
#include "scoring/registry.h"
#include "tests/cluster/build.h"

namespace huygens::placement {
namespace {

using namespace test;  // NOLINT: builders of the same words
using testing::ElementsAre;
using testing::IsEmpty;

std::unique_ptr<Placement> Make(Options options = {}) { return std::move(*Placement::Create(std::move(options))); }

// node-0 has one zone of 8 CPUs; node-1 two of 4; node-2 is kubelet's; node-3 has no topology object; node-4 has one
// zone of 2.
std::unique_ptr<Placement> MakeMixed(Options options = {}) {
  auto placement = Make(std::move(options));
  for (int i = 0; i < 5; ++i) placement->Apply(cluster::NodeSet{MakeNode("node-" + std::to_string(i))});
  placement->Apply(cluster::TopologySet{MakeTopology("node-0", {8000})});
  placement->Apply(cluster::TopologySet{MakeTopology("node-1", {4000, 4000})});
  auto kubelet = MakeTopology("node-2", {4000});
  kubelet.pinned_by_agent = false;
  placement->Apply(cluster::TopologySet{kubelet});
  placement->Apply(cluster::TopologySet{MakeTopology("node-4", {2000})});
  return placement;
}

TEST(PlacementOptions, RejectsWhatItCannotDo) {
  auto error = [](Options options) {
    auto placement = Placement::Create(std::move(options));
    return placement.ok() ? std::string() : std::string(Message(placement.status()));
  };
  EXPECT_EQ(error({}), "");
  const auto names = [](const auto& entries) {
    std::string text;
    for (const auto& entry : entries) text += Concat(text.empty() ? "" : ", ", entry.name);
    return text;
  };
  EXPECT_EQ(error({.checks = {"topology", "cpu"}}),
            "no check is called cpu; there are " + names(policy::KnownChecks()));
  EXPECT_EQ(error({.checks = {"topology", "topology"}}), "check topology is listed twice");
  EXPECT_EQ(error({.checks = {"quota"}}), "the check quota needs the names of resources");
  EXPECT_EQ(error({.checks = {"quota"}, .quota = {.enforcement = quota::Enforcement::kOff}}), "");
  EXPECT_EQ(error({.terms = {{"Fewest", 1}}}), "no term is called Fewest; there are " + names(scoring::KnownTerms()));
  EXPECT_EQ(error({.terms = {{"FewestZones", 1, {{kCpu, 2}}}}}), "term FewestZones weighs no resources");
  EXPECT_NE(error({.terms = {{"LeastAllocated", 1, {{kCpu, 0}}}}}), "");
  EXPECT_EQ(error({.terms = {{"LeastUsed", 1, {}, true}}}), "");
  EXPECT_EQ(error({.terms = {{"Balanced", 1, {}, true}}}), "term Balanced has no dominant form");
  EXPECT_NE(error({.usage = {.slots = 0}}), "");
  EXPECT_EQ(error({.usage = {.resources = std::vector<usage::ResourceOptions>(9)}}), "usage of more than 8 resources");
  EXPECT_EQ(error({.terms = {{"LeastAllocated", 1, {{kCpu, 2}}}, {"LeastNUMANodes", 1}}}), "");
  EXPECT_EQ(error({.terms = {{"FewestZones", 1}, {"FewestZones", 1}}}), "term FewestZones is listed twice");
  EXPECT_NE(error({.terms = {{"FewestZones", -1}}}), "");
  EXPECT_NE(error({.terms = {{"FewestZones", NAN}}}), "");
  EXPECT_NE(error({.max_score = 0}), "");
  EXPECT_EQ(error({.topology = {.managed_resources = {kMemory}}}), "managedResources must contain cpu");
  EXPECT_NE(error({.topology = {.managed_resources = {}}}), "");
  EXPECT_NE(error({.topology = {.stale_after = -Duration(1)}}), "");
}

TEST(Filter, AnswersEveryNameByPosition) {
  auto placement = MakeMixed();
  const std::string_view names[] = {"node-4", "nobody", "node-0", "node-1", "node-2", "node-3", "node-0"};
  const FilterAnswer answer = placement->Filter(*MakePod("p", 5), names, kNow);
  EXPECT_THAT(answer.reasons, ElementsAre(Reason::kZonesTooSmall, Reason::kUnknownNode, Reason::kFits, Reason::kFits,
                                          Reason::kFits, Reason::kFits, Reason::kFits));
  EXPECT_THAT(answer.feasible, ElementsAre(2, 3, 4, 5, 6));
  EXPECT_FALSE(answer.narrowed);

  auto aware = MakePod("q", 5);
  aware->topology_awareness = true;
  EXPECT_THAT(placement->Filter(*aware, names, kNow).reasons,
              ElementsAre(Reason::kZonesTooSmall, Reason::kUnknownNode, Reason::kFits, Reason::kZonesTooSmall,
                          Reason::kFits, Reason::kNoTopology, Reason::kFits));
  EXPECT_THAT(placement->Filter(*aware, {}, kNow).reasons, IsEmpty());
}

TEST(Filter, ANodeOfWhichOnlyTracesAreKnownIsUnknown) {
  auto placement = Make();
  placement->Apply(cluster::TopologySet{MakeTopology("node-0", {8000})});
  const std::string_view name = "node-0";
  EXPECT_THAT(placement->Filter(*MakePod("p", 1), {&name, 1}, kNow).reasons, ElementsAre(Reason::kUnknownNode));
}

TEST(Filter, AsksNoCheckThatIsLeftOut) {
  auto placement = MakeMixed({.checks = {}});
  const std::string_view name = "node-4";
  EXPECT_THAT(placement->Filter(*MakePod("p", 50), {&name, 1}, kNow).reasons, ElementsAre(Reason::kFits));
  auto reserved = placement->Reserve(MakePod("p", 50), name, kNow);
  ASSERT_TRUE(reserved.ok());
  EXPECT_TRUE(reserved->Accepted());
  EXPECT_THAT(reserved->zones, IsEmpty());
}

TEST(Filter, FollowsTheState) {
  auto placement = MakeMixed();
  const std::string_view name = "node-4";
  auto pod = MakePod("p", 2);
  EXPECT_THAT(placement->Filter(*pod, {&name, 1}, kNow).reasons, ElementsAre(Reason::kFits));
  ASSERT_TRUE(placement->Reserve(MakePod("other", 1), name, kNow).ok());
  EXPECT_THAT(placement->Filter(*pod, {&name, 1}, kNow).reasons, ElementsAre(Reason::kInsufficientZones));
  placement->Release("other");
  EXPECT_THAT(placement->Filter(*pod, {&name, 1}, kNow).reasons, ElementsAre(Reason::kFits));
}

TEST(Filter, AsksTheTimeForStaleFigures) {
  auto placement =
      Make({.topology = {.stale_after = std::chrono::minutes(5), .when_stale = topology::WhenStale::kReject}});
  placement->Apply(cluster::NodeSet{MakeNode("node-0")});
  auto topology = MakeTopology("node-0", {8000});
  topology.zones[0].offline_cpu = 4000;
  topology.zones[0].offline_updated = kNow;
  placement->Apply(cluster::TopologySet{topology});
  const std::string_view name = "node-0";
  EXPECT_THAT(placement->Filter(*MakePod("p", 4), {&name, 1}, kNow).reasons, ElementsAre(Reason::kFits));
  EXPECT_THAT(placement->Filter(*MakePod("p", 5), {&name, 1}, kNow).reasons, ElementsAre(Reason::kZonesTooSmall));
  EXPECT_THAT(placement->Filter(*MakePod("p", 4), {&name, 1}, kNow + std::chrono::minutes(6)).reasons,
              ElementsAre(Reason::kStaleRealCapacity));
}

class Narrowed : public testing::Test {
 protected:
  // Ten nodes: even ones can take 3 CPUs in one zone, odd ones in two.
  explicit Narrowed(size_t keep = 2) : placement_(Make({.narrow_to = keep})) {
    for (int i = 0; i < 10; ++i) {
      names_.push_back("node-" + std::to_string(i));
      placement_->Apply(cluster::NodeSet{MakeNode(names_.back())});
      placement_->Apply(cluster::TopologySet{
          MakeTopology(names_.back(), i % 2 == 0 ? std::vector<int64_t>{4000} : std::vector<int64_t>{2000, 2000})});
      views_.push_back(names_[static_cast<size_t>(i)]);
    }
    views_.assign(names_.begin(), names_.end());
  }

  std::unique_ptr<Placement> placement_;
  std::vector<std::string> names_;
  std::vector<std::string_view> views_;
};

TEST_F(Narrowed, KeepsTheBestInTheOrderOfTheRequest) {
  for (int i = 0; i < 20; ++i) {
    const FilterAnswer answer = placement_->Filter(*MakePod("uid-" + std::to_string(i), 3), views_, kNow);
    EXPECT_TRUE(answer.narrowed);
    ASSERT_EQ(answer.feasible.size(), 2u);
    EXPECT_LT(answer.feasible[0], answer.feasible[1]);
    for (uint32_t position : answer.feasible) EXPECT_EQ(position % 2, 0u);
    EXPECT_EQ(answer.reasons.size(), 10u);
  }
}

TEST_F(Narrowed, TakesTurnsAmongEqualsAndRepeatsItselfOnTheSameState) {
  std::set<uint32_t> seen;
  for (int i = 0; i < 40; ++i) {
    auto pod = MakePod("uid-" + std::to_string(i), 3);
    auto once = placement_->Filter(*pod, views_, kNow).feasible;
    EXPECT_EQ(placement_->Filter(*pod, views_, kNow).feasible, once);
    seen.insert(once.begin(), once.end());
  }
  EXPECT_THAT(seen, ElementsAre(0, 2, 4, 6, 8));
  // The same pod is not offered the same nodes for ever, either.
  seen.clear();
  auto pod = MakePod("uid", 3);
  for (int i = 0; i < 10; ++i) {
    auto kept = placement_->Filter(*pod, views_, kNow).feasible;
    seen.insert(kept.begin(), kept.end());
    placement_->Apply(cluster::NodeSet{MakeNode("node-elsewhere")});
  }
  EXPECT_THAT(seen, ElementsAre(0, 2, 4, 6, 8));
}

TEST_F(Narrowed, FillsUpWithTheNextBest) {
  auto placement = Make({.narrow_to = 7});
  for (int i = 0; i < 10; ++i) {
    placement->Apply(cluster::NodeSet{MakeNode(names_[static_cast<size_t>(i)])});
    placement->Apply(cluster::TopologySet{MakeTopology(
        names_[static_cast<size_t>(i)], i % 2 == 0 ? std::vector<int64_t>{4000} : std::vector<int64_t>{2000, 2000})});
  }
  auto kept = placement->Filter(*MakePod("p", 3), views_, kNow).feasible;
  EXPECT_EQ(kept.size(), 7u);
  EXPECT_EQ(std::count_if(kept.begin(), kept.end(), [](uint32_t position) { return position % 2 == 0; }), 5);
}

TEST_F(Narrowed, GivesAllReasonsWhenNothingFits) {
  const FilterAnswer answer = placement_->Filter(*MakePod("p", 9), views_, kNow);
  EXPECT_FALSE(answer.narrowed);
  EXPECT_THAT(answer.feasible, IsEmpty());
  EXPECT_THAT(answer.reasons, testing::Each(Reason::kZonesTooSmall));
}

TEST_F(Narrowed, LeavesFewEnoughAlone) {
  const FilterAnswer answer = placement_->Filter(*MakePod("p", 3), std::span(views_).first(2), kNow);
  EXPECT_FALSE(answer.narrowed);
  EXPECT_THAT(answer.feasible, ElementsAre(0, 1));
}

TEST_F(Narrowed, SkipsRejectedAndUnknownNames) {
  std::vector<std::string_view> names = {"nobody", "node-0", "node-1", "nobody", "node-2", "node-3", "node-4"};
  auto aware = MakePod("p", 3);
  aware->topology_awareness = true;  // only the even ones
  for (int i = 0; i < 10; ++i) {
    aware->uid = "uid-" + std::to_string(i);
    const FilterAnswer answer = placement_->Filter(*aware, names, kNow);
    EXPECT_TRUE(answer.narrowed);
    ASSERT_EQ(answer.feasible.size(), 2u);
    for (uint32_t position : answer.feasible) EXPECT_TRUE(position == 1 || position == 4 || position == 6) << position;
  }
}

TEST(Prioritize, ScoresEveryNameByPosition) {
  auto placement = MakeMixed({.max_score = 100});
  const std::string_view names[] = {"node-1", "nobody", "node-0", "node-2", "node-4", "node-0"};
  std::vector<TermScores> explain;
  auto scores = placement->Prioritize(*MakePod("p", 5), names, kNow, &explain);
  // Unknown distances count as unreachable: two zones are worth a third.
  EXPECT_THAT(scores, ElementsAre(33, 0, 100, 0, 0, 100));
  ASSERT_EQ(explain.size(), 1u);
  EXPECT_EQ(explain[0].name, "FewestZones");
  EXPECT_EQ(explain[0].weight, 1);
  EXPECT_EQ(explain[0].scores[2], 1);
  EXPECT_EQ(explain[0].scores[4], 0);
  EXPECT_TRUE(std::isnan(explain[0].scores[1]));
  EXPECT_TRUE(std::isnan(explain[0].scores[3]));
  EXPECT_THAT(placement->Prioritize(cluster::Pod(), names, kNow),
              testing::AllOf(testing::SizeIs(std::size(names)), testing::Each(0)));
  EXPECT_TRUE(placement->Prioritize(*MakePod("p", 5), {}, kNow).empty());
}

// A pod of 4 CPUs that holds all of a node's only zone, as bound or as reserved.
class HolderTest : public testing::Test {
 protected:
  HolderTest() : placement_(Make()), pod_(MakePod("holder", 4)) {
    placement_->Apply(cluster::NodeSet{MakeNode("n")});
    placement_->Apply(cluster::TopologySet{MakeTopology("n", {4000})});
  }
  std::vector<uint32_t> Feasible(const cluster::Pod& pod) {
    const std::string_view name = "n";
    return placement_->Filter(pod, {&name, 1}, kNow).feasible;
  }

  std::unique_ptr<Placement> placement_;
  std::shared_ptr<cluster::Pod> pod_;
};

TEST_F(HolderTest, WhatABoundPodHoldsDoesNotCountAgainstIt) {
  pod_->node_name = "n";
  pod_->placement_mark = {pod_->uid, "n", {{0, {{kCpu, 4000}}}}};
  placement_->Apply(cluster::PodSet{pod_});
  EXPECT_THAT(Feasible(*pod_), ElementsAre(0u));
  EXPECT_THAT(Feasible(*MakePod("another", 1)), IsEmpty()) << "asking changes nothing";
  EXPECT_THAT(Feasible(*MakePod("holder", 5)), IsEmpty()) << "the node never had so much";
}

TEST_F(HolderTest, WhatAReservedPodHoldsDoesNotCountAgainstIt) {
  ASSERT_TRUE(placement_->Reserve(pod_, "n", kNow)->Accepted());
  EXPECT_THAT(Feasible(*pod_), ElementsAre(0u));
  EXPECT_THAT(Feasible(*MakePod("another", 1)), IsEmpty());
}

TEST_F(HolderTest, IsScoredAsIfItWereNotThere) {
  const std::string_view name = "n";
  const int64_t before = placement_->Prioritize(*pod_, {&name, 1}, kNow)[0];
  ASSERT_TRUE(placement_->Reserve(pod_, "n", kNow)->Accepted());
  EXPECT_EQ(placement_->Prioritize(*pod_, {&name, 1}, kNow)[0], before);
}

}  // namespace
}  // namespace huygens::placement
