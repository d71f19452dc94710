#include "rescheduler/steering.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rescheduling/move.h"
#include "tests/cluster/build.h"

namespace huygens::rescheduler {
namespace {

using namespace test;  // NOLINT: builders of the same words
using migration_api::Phase;
using placement::Reason;
using testing::ElementsAre;
using testing::IsEmpty;

// Nodes a, b and c of 8 CPUs. A pod v of the ReplicaSet o is evicted from a and is to move to b.
class SteeringTest : public testing::Test {
 protected:
  SteeringTest() : placement_(*placement::Placement::Create({.checks = {"topology"}})) {
    for (const char* name : {"a", "b", "c"}) SetNode(name);
    victim_ = Pod("v");
    victim_->node_name = "a";
    placement_->Apply(cluster::PodSet{victim_});
  }

  void SetNode(const std::string& name, bool unschedulable = false) {
    cluster::Node node = MakeNode(name);
    node.allocatable = {{kCpu, 8000}, {kPodSlots, 110}};
    node.unschedulable = unschedulable;
    placement_->Apply(cluster::NodeSet{std::move(node)});
  }
  std::shared_ptr<cluster::Pod> Pod(const std::string& uid, int64_t cpus = 5) {
    auto pod = MakePod(uid, cpus);
    pod->owner_kind = "ReplicaSet";
    pod->owner_name = "web-7d";
    pod->owner_uid = "o";
    pod->template_hash = "7d";
    pod->created = kNow;
    return pod;
  }
  UnderWay& Begin(Phase phase = Phase::kEvicted) {
    migration_api::PodMigration object;
    object.name = "move-v";
    object.namespace_name = "default";
    object.created = kNow;
    object.spec = {.pod = {"pod-v", "v"},
                   .owner = {"ReplicaSet", "web-7d", "o"},
                   .template_hash = "7d",
                   .source = "a",
                   .target = "b"};
    object.status.phase = phase;
    object.status.evicted_at = kNow;
    UnderWay& move = moves_.Add(std::move(object));
    EXPECT_TRUE(moves_.Settle(move, {}, kNow));
    return move;
  }
  std::vector<std::string> Filter(const cluster::Pod& pod, std::vector<std::string_view> names = {"a", "b", "c"},
                                  Time now = kNow) {
    steering_.Asked(pod, now);
    answer_ = placement_->Filter(pod, names, now);
    rejected_for_nomination_ = steering_.Steer(pod, names, answer_, now);
    std::vector<std::string> feasible;
    for (uint32_t position : answer_.feasible) feasible.emplace_back(names[position]);
    return feasible;
  }
  size_t Held() const { return placement_->state().ledger().Count(cluster::ReservationState::kHeld); }

  std::unique_ptr<placement::Placement> placement_;
  std::shared_ptr<cluster::Pod> victim_;
  MovesUnderWay moves_{*placement_};
  std::vector<std::string> nominated_;
  Steering steering_{moves_, [this](UnderWay& move, const cluster::Pod& pod) {
                       nominated_.push_back(std::string(pod.uid));
                       move.nomination = Nomination::kUnderWay;
                     }};
  placement::FilterAnswer answer_;
  bool rejected_for_nomination_ = false;
};

TEST_F(SteeringTest, TheReplacementIsOfferedItsTargetAlone) {
  Begin();
  EXPECT_EQ(Held(), 1u);
  EXPECT_THAT(Filter(*Pod("r")), ElementsAre("b"));
  EXPECT_EQ(answer_.reasons[2], Reason::kMovesElsewhere);
  EXPECT_THAT(nominated_, IsEmpty());
}

TEST_F(SteeringTest, OnePodReplacesOneAndOthersGoWhereTheyLike) {
  Begin();
  EXPECT_THAT(Filter(*Pod("r")), ElementsAre("b"));
  EXPECT_THAT(Filter(*Pod("s", 2)), ElementsAre("a", "b", "c")) << "of a scale-up at the same moment";
  EXPECT_THAT(Filter(*Pod("s", 5)), ElementsAre("a", "c")) << "and not into the room that is held";
  EXPECT_THAT(Filter(*Pod("r")), ElementsAre("b")) << "asked again";
}

TEST_F(SteeringTest, WhoIsOfAnotherOwnerTemplateOrWasThereBeforeReplacesNobody) {
  Begin();
  auto other = Pod("r", 2);
  other->owner_uid = "p";
  EXPECT_THAT(Filter(*other), ElementsAre("a", "b", "c"));
  other = Pod("r", 2);
  other->template_hash = "8e";
  EXPECT_THAT(Filter(*other), ElementsAre("a", "b", "c")) << "a roll-out";
  other = Pod("r", 2);
  other->created = kNow - std::chrono::seconds(1);
  EXPECT_THAT(Filter(*other), ElementsAre("a", "b", "c"));
}

TEST_F(SteeringTest, WhereTheTargetIsNotOfferedThePodIsRejectedOnceAndNominated) {
  Begin();
  EXPECT_THAT(Filter(*Pod("r"), {"a", "c"}), IsEmpty());
  EXPECT_TRUE(rejected_for_nomination_);
  EXPECT_THAT(answer_.reasons, ElementsAre(Reason::kMovesElsewhere, Reason::kMovesElsewhere));
  EXPECT_THAT(Filter(*Pod("r"), {"a", "c"}), IsEmpty()) << "the patch has not arrived";
  EXPECT_THAT(nominated_, ElementsAre("r")) << "once";
  auto back = Pod("r");
  back->nominated_node = "b";
  EXPECT_THAT(Filter(*back, {"b"}), ElementsAre("b"));
}

TEST_F(SteeringTest, AfterItsNominationItMayGoAnywhereButToItsSource) {
  Begin();
  EXPECT_THAT(Filter(*Pod("r"), {"a", "c"}), IsEmpty());
  auto back = Pod("r");
  back->nominated_node = "b";
  EXPECT_THAT(Filter(*back, {"a", "c"}), ElementsAre("c")) << "kube-scheduler itself refuses the target";
}

TEST_F(SteeringTest, KubeSchedulerIsInsistedUponForTenSecondsOnly) {
  Begin();
  EXPECT_THAT(Filter(*Pod("r"), {"a", "c"}), IsEmpty());
  EXPECT_THAT(Filter(*Pod("r"), {"a", "c"}, kNow + std::chrono::seconds(9)), IsEmpty());
  EXPECT_THAT(Filter(*Pod("r"), {"a", "c"}, kNow + std::chrono::seconds(10)), ElementsAre("c"));
}

TEST_F(SteeringTest, ATargetThatIsCordonedIsLetGoAtOnce) {
  UnderWay& move = Begin();
  SetNode("b", true);
  EXPECT_TRUE(moves_.Settle(move, {}, kNow));
  EXPECT_EQ(Held(), 0u);
  EXPECT_THAT(Filter(*Pod("r"), {"a", "c"}), ElementsAre("c"));
}

TEST_F(SteeringTest, BindTakesWhatIsHeldInOneStep) {
  UnderWay& move = Begin();
  auto replacement = Pod("r");
  EXPECT_THAT(Filter(*replacement), ElementsAre("b"));
  const auto made = placement_->Reserve(replacement, "b", kNow);
  ASSERT_TRUE(made.ok() && made->Accepted());
  EXPECT_EQ(Held(), 0u);
  EXPECT_TRUE(moves_.Settle(move, {}, kNow));
  EXPECT_EQ(Held(), 0u) << "who is being bound holds room itself";
  placement_->Release("r");
  EXPECT_TRUE(moves_.Settle(move, {}, kNow));
  EXPECT_EQ(Held(), 1u) << "the Binding was refused, and it comes again";
}

TEST_F(SteeringTest, AStatefulSetsPodIsRecognisedByItsName) {
  Begin();
  moves_.Find("v")->object.spec.owner.kind = "StatefulSet";
  auto other = Pod("r", 2);
  EXPECT_THAT(Filter(*other), ElementsAre("a", "b", "c"));
  other->name = "pod-v";
  EXPECT_THAT(Filter(*other), ElementsAre("b"));
}

TEST_F(SteeringTest, SeesHowThingsStand) {
  UnderWay& move = Begin();
  EXPECT_EQ(moves_.Look(move).victim, moves::Victim::kThere);
  auto deleting = std::make_shared<cluster::Pod>(*victim_);
  deleting->deleting = true;
  placement_->Apply(cluster::PodSet{deleting});
  EXPECT_EQ(moves_.Look(move).victim, moves::Victim::kDeleting);
  placement_->Apply(cluster::PodGone{"v"});
  EXPECT_EQ(moves_.Look(move).victim, moves::Victim::kGone);
  auto replacement = Pod("r");
  (void)Filter(*replacement);
  EXPECT_EQ(moves_.Look(move).replacement->node, "");
  EXPECT_FALSE(moves_.Look(move).replacement->leaving) << "the watch has not shown it yet";
  auto bound = std::make_shared<cluster::Pod>(*replacement);
  bound->node_name = "b";
  bound->ready = true;
  placement_->Apply(cluster::PodSet{bound});
  move.watched = true;
  EXPECT_EQ(moves_.Look(move).replacement->node, "b");
  EXPECT_TRUE(moves_.Look(move).replacement->ready);
  placement_->Apply(cluster::PodGone{"r"});
  EXPECT_TRUE(moves_.Look(move).replacement->leaving);
}

}  // namespace
}  // namespace huygens::rescheduler
