#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "placement/placement.h"
#include "tests/cluster/build.h"

namespace huygens::placement {
namespace {

using namespace test;  // NOLINT: builders of the same words

class ReserveTest : public testing::Test {
 protected:
  ReserveTest() : placement_(std::move(*Placement::Create({}))) {
    for (const char* name : {"a", "b"}) {
      placement_->Apply(cluster::NodeSet{MakeNode(name)});
      placement_->Apply(cluster::TopologySet{MakeTopology(name, {4000, 4000})});
    }
  }
  int64_t Free(std::string_view node, size_t zone) {
    return placement_->Describe(node, kNow)->zones.at(zone).free.Get(kCpu);
  }
  absl::StatusCode Error(std::shared_ptr<const cluster::Pod> pod, std::string_view node) {
    auto reserved = placement_->Reserve(std::move(pod), node, kNow);
    return reserved.ok() ? absl::StatusCode::kOk : reserved.status().code();
  }
  void Watch(std::shared_ptr<const cluster::Pod> pod) { placement_->Apply(cluster::PodSet{std::move(pod)}); }

  std::unique_ptr<Placement> placement_;
};

TEST_F(ReserveTest, HoldsTheZonesItNames) {
  auto reserved = placement_->Reserve(MakePod("p", 6), "a", kNow);
  ASSERT_TRUE(reserved.ok());
  ASSERT_TRUE(reserved->Accepted());
  EXPECT_FALSE(reserved->existed);
  ASSERT_EQ(reserved->zones.size(), 2u);
  EXPECT_EQ(reserved->zones[0].name, "node0");
  EXPECT_EQ(reserved->zones[0].amount, (ResourceVector{{kCpu, 4000}}));
  EXPECT_EQ(reserved->zones[1].amount, (ResourceVector{{kCpu, 2000}}));
  EXPECT_EQ(Free("a", 0), 0);
  EXPECT_EQ(Free("a", 1), 2000);
  EXPECT_EQ(placement_->state().ledger().size(), 1u);
}

TEST_F(ReserveTest, SaysTheSameAgainForTheSamePodAndNode) {
  auto first = placement_->Reserve(MakePod("p", 6), "a", kNow);
  uint64_t revision = placement_->state().revision();
  auto again = placement_->Reserve(MakePod("p", 6), "a", kNow);
  ASSERT_TRUE(again.ok());
  EXPECT_TRUE(again->existed);
  ASSERT_EQ(again->zones.size(), first->zones.size());
  EXPECT_EQ(again->zones[1].amount, first->zones[1].amount);
  EXPECT_EQ(placement_->state().revision(), revision);

  placement_->Assume("p", kNow);
  auto bound = MakePod("p", 6);
  bound->node_name = "a";
  bound->placement_mark = {"p", "a", {{0, {{kCpu, 4000}}}, {1, {{kCpu, 2000}}}}};
  Watch(bound);
  again = placement_->Reserve(MakePod("p", 6), "a", kNow);
  ASSERT_TRUE(again.ok());
  EXPECT_TRUE(again->existed);
  EXPECT_EQ(again->zones.size(), 2u);
  EXPECT_EQ(placement_->state().ledger().size(), 0u);
}

TEST_F(ReserveTest, APodHasOnePlace) {
  ASSERT_TRUE(placement_->Reserve(MakePod("p", 1), "a", kNow).ok());
  EXPECT_EQ(Error(MakePod("p", 1), "b"), absl::StatusCode::kAborted);
  auto bound = MakePod("q", 1);
  bound->node_name = "a";
  EXPECT_EQ(Error(bound, "b"), absl::StatusCode::kAborted);
  EXPECT_EQ(Error(bound, "a"), absl::StatusCode::kAborted);  // where it is bound already is not for huygens to say
  EXPECT_EQ(Free("b", 0), 4000);
}

TEST_F(ReserveTest, ARefusalIsAnAnswerAndHoldsNothing) {
  uint64_t revision = placement_->state().revision();
  auto small = placement_->Reserve(MakePod("p", 9), "a", kNow);
  ASSERT_TRUE(small.ok());
  EXPECT_EQ(small->reason, Reason::kZonesTooSmall);
  auto unknown = placement_->Reserve(MakePod("p", 1), "nobody", kNow);
  ASSERT_TRUE(unknown.ok());
  EXPECT_EQ(unknown->reason, Reason::kUnknownNode);
  EXPECT_EQ(placement_->state().ledger().size(), 0u);
  EXPECT_EQ(placement_->state().revision(), revision);
  EXPECT_EQ(placement_->state().FindPod("p"), nullptr);
}

TEST_F(ReserveTest, RefusesPodsThatWillNotRun) {
  EXPECT_EQ(Error(MakePod("", 1), "a"), absl::StatusCode::kInvalidArgument);
  auto deleting = MakePod("d", 1);
  deleting->deleting = true;
  EXPECT_EQ(Error(deleting, "a"), absl::StatusCode::kFailedPrecondition);
  auto finished = MakePod("f", 1);
  finished->phase = cluster::PodPhase::kFailed;
  EXPECT_EQ(Error(finished, "a"), absl::StatusCode::kFailedPrecondition);
  // The watch knows better than a caller with an old copy.
  Watch(finished);
  EXPECT_EQ(Error(MakePod("f", 1), "a"), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(placement_->state().ledger().size(), 0u);
}

TEST_F(ReserveTest, WritesZonesAsTheObjectSpellsThemInCranesOrder) {
  cluster::NodeTopology topology = MakeTopology("c", {});
  topology.zones = MakeTopology("c", std::vector<int64_t>(11, 1000)).zones;
  topology.zones.erase(topology.zones.begin() + 3, topology.zones.begin() + 10);  // sparse: 0, 1, 2, 10
  for (cluster::Zone& zone : topology.zones) zone.name = "node-" + std::to_string(zone.id);
  placement_->Apply(cluster::NodeSet{MakeNode("c")});
  placement_->Apply(cluster::TopologySet{topology});
  auto reserved = placement_->Reserve(MakePod("p", 4), "c", kNow);
  ASSERT_TRUE(reserved.ok());
  std::vector<std::string> names;
  std::vector<int> ids;
  for (const ZoneShare& share : reserved->zones) {
    names.push_back(share.name);
    ids.push_back(share.zone);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"node-0", "node-1", "node-10", "node-2"}));
  EXPECT_EQ(ids, (std::vector<int>{0, 1, 10, 2}));
}

TEST_F(ReserveTest, NoZonesWhereNoneAreToBeChosen) {
  placement_->Apply(cluster::NodeSet{MakeNode("bare")});
  auto kubelet = MakeTopology("kubelet", {1000});
  kubelet.pinned_by_agent = false;
  placement_->Apply(cluster::NodeSet{MakeNode("kubelet")});
  placement_->Apply(cluster::TopologySet{kubelet});
  auto daemon = MakePod("daemon", 2);
  daemon->owned_by_daemon_set = true;
  for (auto& [pod, node] : std::vector<std::pair<std::shared_ptr<cluster::Pod>, std::string>>{
           {MakePod("p", 99), "bare"}, {MakePod("q", 99), "kubelet"}, {daemon, "a"}}) {
    auto reserved = placement_->Reserve(pod, node, kNow);
    ASSERT_TRUE(reserved.ok());
    EXPECT_TRUE(reserved->Accepted());
    EXPECT_TRUE(reserved->zones.empty()) << node;
  }
  EXPECT_EQ(Free("a", 0), 4000);
  EXPECT_EQ(placement_->state().ledger().size(), 3u);
}

TEST_F(ReserveTest, ReleaseAndDeletionGiveBack) {
  ASSERT_TRUE(placement_->Reserve(MakePod("p", 8), "a", kNow).ok());
  EXPECT_EQ(placement_->Reserve(MakePod("q", 1), "a", kNow)->reason, Reason::kInsufficientZones);
  placement_->Release("p");
  EXPECT_TRUE(placement_->Reserve(MakePod("q", 1), "a", kNow)->Accepted());
  placement_->Assume("q", kNow);
  Watch(MakePod("q", 1));
  placement_->Apply(cluster::PodGone{"q"});
  EXPECT_EQ(Free("a", 0), 4000);
  EXPECT_EQ(placement_->state().ledger().size(), 0u);
}

TEST_F(ReserveTest, OneOfFiftyGetsTheLastSlot) {
  ASSERT_TRUE(placement_->Reserve(MakePod("filler", 7), "a", kNow)->Accepted());
  int accepted = 0, refused = 0;
  for (int i = 0; i < 50; ++i) {
    auto reserved = placement_->Reserve(MakePod("uid-" + std::to_string(i), 1), "a", kNow);
    ASSERT_TRUE(reserved.ok());
    reserved->Accepted() ? ++accepted : ++refused;
    if (!reserved->Accepted()) {
      EXPECT_EQ(reserved->reason, Reason::kInsufficientZones);
    }
  }
  EXPECT_EQ(accepted, 1);
  EXPECT_EQ(refused, 49);
  EXPECT_EQ(placement_->state().ledger().size(), 2u);
}

TEST_F(ReserveTest, ChargesMemoryWhereItIsManaged) {
  auto placement = std::move(*Placement::Create({.topology = {.managed_resources = {kCpu, kMemory}}}));
  auto topology = MakeTopology("a", {4000, 4000});
  topology.zones[0].allocatable.Set(kMemory, 100);
  topology.zones[1].allocatable.Set(kMemory, 300);
  placement->Apply(cluster::NodeSet{MakeNode("a")});
  placement->Apply(cluster::TopologySet{topology});
  auto pod = MakePod("p", 2);
  pod->containers[0].requests.Set(kMemory, 200);
  auto reserved = placement->Reserve(pod, "a", kNow);
  ASSERT_TRUE(reserved.ok());
  ASSERT_EQ(reserved->zones.size(), 1u);
  EXPECT_EQ(reserved->zones[0].zone, 1);
  EXPECT_EQ(reserved->zones[0].amount, (ResourceVector{{kCpu, 2000}, {kMemory, 200}}));
}

TEST_F(ReserveTest, DescribesANodeAsItStands) {
  EXPECT_EQ(placement_->Describe("nobody", kNow), std::nullopt);
  auto topology = MakeTopology("a", {4000, 4000}, true);
  topology.zones[1].offline_cpu = 3000;
  placement_->Apply(cluster::TopologySet{topology});
  ASSERT_TRUE(placement_->Reserve(MakePod("q", 4), "a", kNow)->Accepted());
  auto bound = MakePod("p", 1);
  bound->node_name = "a";
  bound->placement_mark = {"p", "a", {{1, {{kCpu, 1000}}}, {5, {{kCpu, 1000}}}}};
  Watch(bound);
  auto node = *placement_->Describe("a", kNow);
  EXPECT_EQ(node.mode, "managed");
  EXPECT_TRUE(node.single_numa);
  ASSERT_EQ(node.zones.size(), 3u);
  EXPECT_EQ(node.zones[0].used.Get(kCpu), 4000);
  EXPECT_EQ(node.zones[0].free.Get(kCpu), 0);
  EXPECT_EQ(node.zones[1].name, "node1");
  EXPECT_EQ(node.zones[1].offline_cpu, 3000);
  EXPECT_EQ(node.zones[1].allocatable.Get(kCpu), 4000);
  EXPECT_EQ(node.zones[1].effective.Get(kCpu), 3000);
  EXPECT_EQ(node.zones[1].free.Get(kCpu), 2000);
  EXPECT_FALSE(node.zones[2].present);
  EXPECT_EQ(node.zones[2].name, "node5");
  EXPECT_EQ(node.zones[2].used.Get(kCpu), 1000);
  ASSERT_EQ(node.pods.size(), 2u);
  EXPECT_EQ(node.pods[0].uid, "p");
  EXPECT_EQ(node.pods[0].reservation, std::nullopt);
  EXPECT_EQ(node.pods[1].reservation, cluster::ReservationState::kReserved);
  EXPECT_EQ(node.pods[1].zones.size(), 1u);
}

}  // namespace
}  // namespace huygens::placement
