// Real use in the decision core: the check and the terms act, pods count at once, and relief is noticed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "placement/placement.h"
#include "placement/pod_headroom.h"
#include "placement/wake_search.h"
#include "tests/cluster/build.h"

namespace huygens::placement {
namespace {

using namespace test;  // NOLINT: builders of the same words
using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::string_view kNames[] = {"n0", "n1"};

// Two nodes of 10 CPUs without a topology object, to be used to 80%.
class UsageTest : public testing::Test {
 protected:
  explicit UsageTest(std::vector<CheckSetting> checks = {"topology", "usage"}, size_t narrow_to = 0)
      : placement_(*Placement::Create({.checks = std::move(checks),
                                       .terms = {{"LeastUsed", 1}},
                                       .max_score = 100,
                                       .narrow_to = narrow_to,
                                       .usage = {.resources = {{.name = "cpu", .ceiling = 800'000}}},
                                       .waiting_pods = 10})) {
    for (std::string_view name : kNames) {
      cluster::Node node = MakeNode(std::string(name));
      node.allocatable = {{kCpu, 10'000}, {kPodSlots, 20}};
      placement_->Apply(cluster::NodeSet{node});
    }
    for (int64_t slot = kSlot - 96; slot < kSlot; ++slot) Heard(slot);  // a day, from which on histories count alone
  }

  void Heard(int64_t slot) {
    placement_->ApplyUsage({.slot = slot, .measured = kNow, .workloads = {}, .nodes = {{"n0", 0}, {"n1", 0}}}, kNow);
    placement_->SettleUsage();
  }
  // What a pod used in each slot of the last day.
  void Measure(const std::string& uid, int64_t milli_cpus, int64_t slot = kSlot) {
    for (int64_t s = slot - 96; s <= slot; ++s) {
      placement_->ApplyUsage(
          {.slot = s, .measured = kNow, .workloads = {{"default/Pod/pod-" + uid, milli_cpus}}, .nodes = {}}, kNow);
    }
    placement_->SettleUsage();
  }
  std::shared_ptr<cluster::Pod> Bind(const std::string& uid, const std::string& node, int priority = 0) {
    auto pod = MakePod(uid, 1);
    pod->node_name = node;
    pod->priority = priority;
    placement_->Apply(cluster::PodSet{pod});
    return pod;
  }
  std::vector<Reason> Ask(const cluster::Pod& pod) { return placement_->Filter(pod, kNames, kNow).reasons; }

  static constexpr int64_t kSlot = 24 * 365 * 56 * 4;
  std::unique_ptr<Placement> placement_;
};

TEST_F(UsageTest, ANodeAtItsCeilingIsRejectedAndTheCoolerOneScoresBetter) {
  Measure("busy", 7900);
  Measure("quiet", 1000);
  Bind("busy", "n0");
  Bind("quiet", "n1");
  Measure("new", 200);
  const auto pod = MakePod("new", 1);
  EXPECT_THAT(Ask(*pod), ElementsAre(Reason::kUsageCeiling, Reason::kFits));
  EXPECT_THAT(placement_->Prioritize(*pod, kNames, kNow), ElementsAre(19, 88));
}

TEST_F(UsageTest, AReservedPodCountsAtOnceAndAReleasedOneNoMore) {
  Measure("a", 5000);
  Measure("b", 5000);
  const auto a = MakePod("a", 1);
  const auto b = MakePod("b", 1);
  ASSERT_TRUE(placement_->Reserve(a, "n0", kNow)->Accepted());
  EXPECT_THAT(Ask(*b), ElementsAre(Reason::kUsageCeiling, Reason::kFits));
  EXPECT_EQ(placement_->Reserve(b, "n0", kNow)->reason, Reason::kUsageCeiling);
  placement_->Release("a");
  EXPECT_THAT(Ask(*b), ElementsAre(Reason::kFits, Reason::kFits));
}

TEST_F(UsageTest, EveryPieceOfUsageIsANewRevision) {
  const uint64_t before = placement_->revision();
  Heard(kSlot);
  EXPECT_GT(placement_->revision(), before);
}

TEST_F(UsageTest, ARejectedPodIsFoundWhenAHistoryFalls) {
  Measure("busy", 7900);
  Bind("busy", "n0");
  Bind("busy2", "n1");
  Measure("busy2", 7900);
  const auto pod = MakePod("new", 1);
  ASSERT_THAT(Ask(*pod), ElementsAre(Reason::kUsageCeiling, Reason::kUsageCeiling));
  placement_->Remember(pod, placement_->Filter(*pod, kNames, kNow));
  WakeSearch search(*placement_, 16);
  search.Begin(kNow);  // what changed before
  Heard(kSlot + 1);
  EXPECT_FALSE(search.Begin(kNow));
  Measure("busy2", 1000, kSlot + 700);  // the old week is over
  ASSERT_TRUE(search.Begin(kNow));
  while (search.Step(kNow)) {
  }
  const auto wakes = search.TakeWakes();
  ASSERT_EQ(wakes.size(), 1u);
  EXPECT_EQ(placement_->state().NodeName(wakes[0].node), "n1");
}

TEST_F(UsageTest, WhetherAnotherFitsBesideIsAskedOfUsageToo) {
  for (const char* uid : {"a", "b"}) Measure(uid, 5000);
  const NodeIndex node = *placement_->state().FindNode("n0");
  const std::shared_ptr<const cluster::Pod> pods[] = {MakePod("a", 1), MakePod("b", 1)};
  EXPECT_FALSE(placement_->FitsTogether(pods, node, kNow));
  Measure("b", 3000, kSlot + 700);
  EXPECT_TRUE(placement_->FitsTogether(pods, node, kNow));
  EXPECT_EQ(placement_->usage().Use(node, 0, kNow).peak, 0);
}

TEST_F(UsageTest, PreemptionMakesRoomUnderTheCeiling) {
  Measure("large", 5000);
  Measure("small", 1000);
  Bind("large", "n0", 1);
  Bind("small", "n0", 2);
  Measure("vip", 6000);
  auto vip = MakePod("vip", 1);
  vip->priority = 100;
  ASSERT_EQ(Ask(*vip)[0], Reason::kUsageCeiling);
  const PreemptionCandidate candidate{"n0", {}};  // by requests nobody has to leave
  const auto answer = placement_->Preempt(*vip, {&candidate, 1}, kNow);
  EXPECT_THAT(answer.at(0).victims, ElementsAre("large"));
  EXPECT_EQ(placement_->usage().Use(*placement_->state().FindNode("n0"), 0, kNow).peak, 6000);
}

TEST_F(UsageTest, ANodeIsDescribedWithItsUse) {
  Measure("busy", 7900);
  Bind("busy", "n0");
  const auto description = placement_->Describe("n0", kNow);
  ASSERT_EQ(description->usage.size(), 1u);
  EXPECT_EQ(description->usage[0].peak_of_sum, 7900);
  EXPECT_EQ(description->usage[0].ceiling, 8000);
  ASSERT_EQ(description->usage[0].pods.size(), 1u);
  EXPECT_EQ(description->usage[0].pods[0].key, "default/pod-busy");
}

TEST_F(UsageTest, PodHeadroomIsCountedByRequestsAndByUse) {
  const NodeIndex node = *placement_->state().FindNode("n0");
  const cluster::Pod two = PodOfSize({{kCpu, 2000}});
  EXPECT_EQ(PodHeadroom(*placement_, node, two, kNow), 4);  // 1700 each below 8000
  EXPECT_EQ(PodHeadroom(*placement_, node, PodOfSize({{kCpu, 100}}), kNow), 20);
  Measure("busy", 5000);
  Bind("busy", "n0");
  EXPECT_EQ(PodHeadroom(*placement_, node, two, kNow), 1);
  Bind("a", "n1");
  Bind("b", "n1");
  Bind("c", "n1");  // 7 of 10 CPUs are not requested; 3 * 850 are estimated
  EXPECT_EQ(PodHeadroom(*placement_, *placement_->state().FindNode("n1"), two, kNow), 3);
}

class IdleUsageTest : public UsageTest {
 protected:
  IdleUsageTest() : UsageTest({"topology"}) {}
};

TEST_F(IdleUsageTest, WithoutTheCheckOnlyTheTermActs) {
  Measure("busy", 9900);
  Bind("busy", "n0");
  const auto pod = MakePod("new", 1);
  EXPECT_THAT(Ask(*pod), ElementsAre(Reason::kFits, Reason::kFits));
  const auto scores = placement_->Prioritize(*pod, kNames, kNow);
  EXPECT_LT(scores[0], scores[1]);
  EXPECT_EQ(PodHeadroom(*placement_, *placement_->state().FindNode("n0"), PodOfSize({{kCpu, 2000}}), kNow), 4);
}

TEST(IdleUsage, IsDroppedWhereNobodyLooks) {
  auto placement = *Placement::Create({.checks = {"topology"},
                                       .terms = {{"FewestZones", 1}, {"LeastUsed", 0}},
                                       .usage = {.resources = {{.name = "cpu"}}}});
  EXPECT_THAT(placement->usage().options().resources, IsEmpty());
  placement->ApplyUsage({.nodes = {{"n", 1}}}, kNow);  // changes nothing
  EXPECT_FALSE(placement->SettleUsage());
}

// While equally good nodes take turns, a new reading moves the turn on.
class NarrowedUsageTest : public UsageTest {
 protected:
  NarrowedUsageTest() : UsageTest({"usage"}, 1) {}
};

TEST_F(NarrowedUsageTest, EqualNodesTakeTurnsAsUsageComesIn) {
  const auto pod = MakePod("new", 1);
  std::vector<size_t> kept(2);
  for (int64_t slot = kSlot; slot < kSlot + 8; ++slot) {
    placement_->ApplyUsage({.slot = slot, .measured = kNow, .workloads = {}, .nodes = {{"n0", 0}, {"n1", 0}}}, kNow);
    ++kept[placement_->Filter(*pod, kNames, kNow).feasible.at(0)];
  }
  EXPECT_THAT(kept, ElementsAre(4, 4));
}

}  // namespace
}  // namespace huygens::placement
