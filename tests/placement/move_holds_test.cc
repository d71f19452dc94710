#include "placement/move_holds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "placement/placement.h"
#include "tests/placement/quota_groups.h"

namespace huygens::placement {
namespace {

using namespace test;  // NOLINT: builders of the same words
using testing::ElementsAre;
using testing::IsEmpty;

std::shared_ptr<cluster::Pod> StandIn(const cluster::Pod& victim) {
  auto pod = std::make_shared<cluster::Pod>(victim);
  pod->name = "move-" + std::string(victim.uid);
  pod->uid = pod->name;
  pod->node_name.clear();
  pod->placement_mark.reset();
  pod->quota = nullptr;
  return pod;
}

// Nodes a and b, with one zone of 4 CPUs and 8 CPUs allocatable each, and a group with room for 4 CPUs.
class MoveHoldsTest : public testing::Test {
 protected:
  MoveHoldsTest() {
    placement_ = std::move(*Placement::Create({.checks = {"topology", "quota"},
                                               .quota = {.enforcement = quota::Enforcement::kPlacement},
                                               .resource_names = &names_}));
    for (const char* name : {"a", "b"}) AddNode(name);
    placement_->Apply(cluster::BizGroupQuotaSet{MakeGroup("g", {{"limits.cpu", "4"}})});
    victim_ = MakeGroupPod("v", 4, "g");
    victim_->node_name = "a";
    victim_->placement_mark = {victim_->uid, victim_->node_name, {{0, ResourceVector{{kCpu, 4000}}}}};
    placement_->Apply(cluster::PodSet{victim_});
  }

  void AddNode(const char* name) {
    cluster::Node node = MakeNode(name);
    node.allocatable = {{kCpu, 8000}, {kPodSlots, 10}};
    placement_->Apply(cluster::NodeSet{std::move(node)});
    placement_->Apply(cluster::TopologySet{MakeTopology(name, {4000})});
  }
  std::vector<std::string> Feasible(const cluster::Pod& pod) {
    const std::vector<std::string_view> names = {"a", "b"};
    last_ = placement_->Filter(pod, names, kNow);
    std::vector<std::string> feasible;
    for (uint32_t position : last_.feasible) feasible.emplace_back(names[position]);
    return feasible;
  }
  bool Hold(const std::string& node = "b") {
    const auto made = placement_->HoldForMove(StandIn(*victim_), node, kNow);
    return made.ok() && made->Accepted();
  }
  void Claim() { placement_->moves().Claim("r", {.stand_in = "move-v", .victim = "v"}); }
  size_t Held() const { return placement_->state().ledger().Count(cluster::ReservationState::kHeld); }

  ResourceNames names_;
  std::unique_ptr<Placement> placement_;
  std::shared_ptr<cluster::Pod> victim_;
  std::shared_ptr<cluster::Pod> replacement_ = MakeGroupPod("r", 4, "g");
  FilterAnswer last_;
};

TEST_F(MoveHoldsTest, ZonesAreKeptFromOthersAndGivenToTheReplacement) {
  ASSERT_TRUE(Hold());
  EXPECT_THAT(Feasible(*MakePod("other", 4)), IsEmpty());
  EXPECT_THAT(Feasible(*replacement_), IsEmpty()) << "nobody has said yet what it replaces";
  Claim();
  EXPECT_THAT(Feasible(*replacement_), ElementsAre("b"));
  const auto made = placement_->Reserve(replacement_, "b", kNow);
  ASSERT_TRUE(made.ok() && made->Accepted()) << made.status();
  EXPECT_FALSE(placement_->moves().Holds("move-v")) << "consumed in the same step";
  EXPECT_EQ(Held(), 0u);
  EXPECT_EQ(placement_->Reconcile(10), 0u) << "all accounts are as a recount has them";
}

TEST_F(MoveHoldsTest, AGroupAtItsBudgetDoesNotBlockItsOwnRelief) {
  ASSERT_TRUE(Hold()) << "the stand-in costs the group nothing";
  EXPECT_FALSE(placement_->CheckQuota(*replacement_).fits()) << "the victim takes all of the budget";
  Claim();
  EXPECT_THAT(Feasible(*replacement_), ElementsAre("b"));
  EXPECT_THAT(Feasible(*MakeGroupPod("other", 1, "g")), IsEmpty()) << "nobody else gets that share";
  ASSERT_TRUE(placement_->Reserve(replacement_, "b", kNow)->Accepted());
  EXPECT_EQ(placement_->Reconcile(10), 0u);
}

TEST_F(MoveHoldsTest, TwoMovesOfAGroupAtItsBudgetDoNotBlockEachOther) {
  for (const char* name : {"c", "d"}) AddNode(name);
  placement_->Apply(cluster::BizGroupQuotaSet{MakeGroup("g", {{"limits.cpu", "8"}})});
  const auto second = MakeGroupPod("w", 4, "g");
  second->node_name = "c";
  placement_->Apply(cluster::PodSet{second});
  ASSERT_TRUE(Hold());
  ASSERT_TRUE(placement_->HoldForMove(StandIn(*second), "d", kNow)->Accepted());
  Claim();
  placement_->moves().Claim("s", {.stand_in = "move-w", .victim = "w"});
  ASSERT_TRUE(placement_->Reserve(replacement_, "b", kNow)->Accepted());
  // v runs out its grace period beside its replacement: 12 of the 8 CPUs are charged, 4 of them twice.
  EXPECT_FALSE(placement_->CheckQuota(*MakeGroupPod("other", 1, "g")).fits());
  EXPECT_TRUE(placement_->Reserve(MakeGroupPod("s", 4, "g"), "d", kNow)->Accepted());
  EXPECT_EQ(placement_->Reconcile(10), 0u);
}

TEST_F(MoveHoldsTest, OnceTheVictimIsGoneItsGroupPaysForWhatIsHeld) {
  ASSERT_TRUE(Hold());
  const auto labels = victim_->quota;
  placement_->Apply(cluster::PodGone{"v"});
  EXPECT_TRUE(placement_->CheckQuota(*MakeGroupPod("other", 4, "g")).fits());
  placement_->moves().Charge("move-v", labels, kNow);
  EXPECT_FALSE(placement_->CheckQuota(*MakeGroupPod("other", 4, "g")).fits());
  Claim();
  EXPECT_THAT(Feasible(*replacement_), testing::Contains("b"));
  ASSERT_TRUE(placement_->Reserve(replacement_, "b", kNow)->Accepted());
  EXPECT_EQ(Held(), 0u);
  EXPECT_EQ(placement_->Reconcile(10), 0u);
}

TEST_F(MoveHoldsTest, RequestsThatWouldNotFitBesideItAreRefusedThere) {
  ASSERT_TRUE(Hold());
  // Takes no zones, so that nothing but requests speaks against it.
  auto other = MakePod("other", 5);
  other->containers[0].limits = {};
  EXPECT_THAT(Feasible(*other), ElementsAre("a")) << "4 of the 8 CPUs of b are held";
  EXPECT_EQ(last_.reasons[1], Reason::kHeldForMove);
  EXPECT_EQ(last_.reasons[0], Reason::kFits) << "what pods take of a is kube-scheduler's business";
  placement_->moves().Release("move-v");
  EXPECT_THAT(Feasible(*other), ElementsAre("a", "b"));
}

TEST_F(MoveHoldsTest, HoldsOnlyWhatIsThere) {
  auto large = MakePod("large", 5);
  large->containers[0].limits = {};
  large->node_name = "b";
  placement_->Apply(cluster::PodSet{large});
  EXPECT_FALSE(Hold()) << "5 of 8 CPUs are asked for";
  EXPECT_FALSE(Hold("nowhere"));
  EXPECT_EQ(Held(), 0u);
}

TEST_F(MoveHoldsTest, AskingChangesNothing) {
  ASSERT_TRUE(Hold());
  Claim();
  for (int i = 0; i < 3; ++i) EXPECT_THAT(Feasible(*replacement_), ElementsAre("b"));
  EXPECT_FALSE(placement_->Reserve(replacement_, "a", kNow)->Accepted()) << "its victim is there still";
  EXPECT_TRUE(placement_->moves().Holds("move-v")) << "what was refused consumes nothing";
  EXPECT_EQ(placement_->Reconcile(10), 0u);
}

}  // namespace
}  // namespace huygens::placement
