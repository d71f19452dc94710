#include "policy/topology_check.h"

#include <gtest/gtest.h>

#include "tests/base/clock.h"
#include "tests/cluster/build.h"
#include "tests/kubelet/node.h"
#include "tests/kubelet/node_kinds.h"
#include "tests/topology/placed_pod.h"

namespace huygens::policy {
namespace {

using huygens::test::kNow;

using kubelet::test::NodeKinds;

enum class Kind { kAbsent, kManaged, kKubelet, kDefect };

cluster::NodeTopology Object(Kind kind) {
  cluster::NodeTopology topology;
  topology.pinned_by_agent = kind != Kind::kKubelet;
  if (kind == Kind::kDefect) topology.defect = "65 zones";
  for (int id = 0; id < 2; ++id) {
    cluster::Zone zone;
    zone.id = id;
    zone.allocatable = {{kCpu, 4000}};
    topology.zones.push_back(zone);
  }
  return topology;
}

// 0 CPUs: asks nothing.
cluster::Pod PodOf(int64_t cpus, std::optional<bool> aware) {
  cluster::Pod pod = cpus > 0 ? huygens::test::PodAsking({{kCpu, cpus * 1000}}) : cluster::Pod();
  pod.topology_awareness = aware;
  return pod;
}

struct Case {
  const char* what;
  Kind kind;
  int64_t cpus;  // 0: the pod asks nothing
  std::optional<bool> aware;
  bool pass_without_topology;
  Reason reason;
};

class TopologyCheckTable : public testing::TestWithParam<Case> {};

TEST_P(TopologyCheckTable, Judges) {
  const Case& each = GetParam();
  NodeKinds kinds({.nodes_without_topology_pass = each.pass_without_topology});
  cluster::NodeTopology object = Object(each.kind);
  kinds.all.NodeChanged(0, each.kind == Kind::kAbsent ? nullptr : &object);
  kinds.zones.Place(topology::test::HoldingPod({{0, {{kCpu, 2000}}}}));

  const cluster::Pod pod = PodOf(each.cpus, each.aware);
  Candidates nodes;
  nodes.Reset(std::vector<NodeIndex>{0});
  TopologyCheck(kinds.all).Ask({pod, kNow}, cluster::State(), nodes);
  EXPECT_EQ(nodes.reason(0), each.reason) << each.what;
}

INSTANTIATE_TEST_SUITE_P(
    All, TopologyCheckTable,
    testing::Values(Case{"room in a zone", Kind::kManaged, 4, true, true, Reason::kFits},
                    Case{"across zones", Kind::kManaged, 6, false, true, Reason::kFits},
                    Case{"no zone has room", Kind::kManaged, 6, true, true, Reason::kZonesTooSmall},
                    Case{"taken", Kind::kManaged, 7, false, true, Reason::kInsufficientZones},
                    Case{"larger than the node", Kind::kManaged, 9, false, true, Reason::kZonesTooSmall},
                    Case{"asks nothing", Kind::kManaged, 0, {}, true, Reason::kFits},
                    Case{"kubelet pins: any size passes", Kind::kKubelet, 99, true, false, Reason::kFits},
                    Case{"no object, pass", Kind::kAbsent, 4, {}, true, Reason::kFits},
                    Case{"no object, pass, pod insists on nothing", Kind::kAbsent, 4, false, true, Reason::kFits},
                    Case{"no object, pod requires it", Kind::kAbsent, 4, true, true, Reason::kNoTopology},
                    Case{"no object, reject", Kind::kAbsent, 4, {}, false, Reason::kNoTopology},
                    Case{"no object, reject, asks nothing", Kind::kAbsent, 0, {}, false, Reason::kFits},
                    Case{"defect", Kind::kDefect, 1, {}, true, Reason::kUnusableTopology},
                    Case{"defect, asks nothing", Kind::kDefect, 0, {}, true, Reason::kFits}));

TEST(TopologyCheck, ANodeThatLostItsObjectGivesNoZonesAndTakesWhoAsksForNone) {
  NodeKinds kinds({}, {});
  cluster::State state({.loss_grace = std::chrono::minutes(10)});
  state.AddAccount(kinds.all);
  const auto add = [&](const std::string& name, cluster::NodeTopology object) {
    cluster::Node node;
    node.name = object.node_name = name;
    state.Apply(cluster::NodeSet{node});
    state.Apply(cluster::TopologySet{object});
  };
  add("managed", Object(Kind::kManaged));
  add("defect", Object(Kind::kDefect));
  add("kubelet", kubelet::test::Object({{8, 16}, {8, 16}}));
  add("hands-off", Object(Kind::kKubelet));
  const auto pod = kubelet::test::GuaranteedPod("p", {{4, 1}});
  const cluster::Pod bare;
  const auto reasons = [&](const cluster::Pod& asking) {
    Candidates nodes;
    nodes.Reset(std::vector<NodeIndex>{0, 1, 2, 3});
    TopologyCheck(kinds.all).Ask({asking, kNow}, state, nodes);
    std::vector<Reason> all;
    for (size_t i = 0; i < nodes.size(); ++i) all.push_back(nodes.reason(i));
    return all;
  };
  const std::vector<Reason> fits(4, Reason::kFits);
  EXPECT_EQ(reasons(*pod),
            (std::vector<Reason>{Reason::kFits, Reason::kUnusableTopology, Reason::kFits, Reason::kFits}));
  EXPECT_EQ(reasons(bare), fits);
  for (cluster::Kind kind : {cluster::Kind::kCraneTopology, cluster::Kind::kCommunityTopology}) {
    state.Apply(cluster::ListBegin{kind});
    state.Apply(cluster::ListEnd{kind});
  }
  EXPECT_EQ(reasons(*pod),
            (std::vector<Reason>{Reason::kLostTopology, Reason::kLostTopology, Reason::kLostTopology, Reason::kFits}));
  EXPECT_EQ(reasons(bare), fits);
  (void)state.AgeLosses(std::chrono::minutes(0));
  (void)state.AgeLosses(std::chrono::minutes(10));
  EXPECT_EQ(reasons(*pod), fits) << "what is lost for so long is absent";
}

TEST(TopologyCheck, SaysWhetherACoreCouldBeHad) {
  NodeKinds kinds;
  cluster::NodeTopology listed = Object(Kind::kManaged);
  for (cluster::Zone& zone : listed.zones) zone.cores = {{0, 1}, {2, 3}};
  cluster::NodeTopology odd = listed;
  for (cluster::Zone& zone : odd.zones) zone.cores = {{0, 1}, {2}, {3}};
  const cluster::NodeTopology unlisted = Object(Kind::kManaged);
  const cluster::NodeTopology kubelet = Object(Kind::kKubelet);
  const cluster::NodeTopology* objects[] = {&listed, &listed, &odd, &unlisted, &kubelet, nullptr};
  for (NodeIndex node = 0; node < std::size(objects); ++node) kinds.all.NodeChanged(node, objects[node]);
  kinds.zones.Place(
      topology::test::HoldingPod({{0, {{kCpu, 2000}}}, {1, {{kCpu, 2000}}}}, 1, {.smt = cluster::Smt::kSpread}));

  auto reasons = [&](int64_t cpus, bool aware) {
    cluster::Pod pod = PodOf(cpus, aware);
    pod.smt = cluster::Smt::kIsolate;
    Candidates nodes;
    nodes.Reset(std::vector<NodeIndex>{0, 1, 2, 3, 4, 5});
    TopologyCheck(kinds.all).Ask({pod, kNow}, cluster::State(), nodes);
    std::vector<Reason> all;
    for (size_t i = 0; i < nodes.size(); ++i) all.push_back(nodes.reason(i));
    return all;
  };
  EXPECT_EQ(reasons(2, false),
            (std::vector<Reason>{Reason::kFits, Reason::kInsufficientCores, Reason::kFits, Reason::kUnknownCores,
                                 Reason::kUnknownCores, Reason::kNoTopology}));
  EXPECT_EQ(reasons(4, true)[2], Reason::kTooFewCores);
}

TEST(TopologyCheck, NamesStaleRealCapacity) {
  NodeKinds kinds({.when_stale = topology::WhenStale::kReject});
  cluster::NodeTopology object = Object(Kind::kManaged);
  for (cluster::Zone& zone : object.zones) {
    zone.offline_cpu = 4000;
    zone.offline_updated = kNow - std::chrono::hours(1);
  }
  kinds.all.NodeChanged(0, &object);
  const cluster::Pod pod = PodOf(1, true);
  Candidates nodes;
  nodes.Reset(std::vector<NodeIndex>{0});
  TopologyCheck(kinds.all).Ask({pod, kNow}, cluster::State(), nodes);
  EXPECT_EQ(nodes.reason(0), Reason::kStaleRealCapacity);
}

TEST(TopologyCheck, LeavesRejectedNodesAlone) {
  NodeKinds kinds;
  cluster::NodeTopology object = Object(Kind::kManaged);
  kinds.all.NodeChanged(0, &object);
  const cluster::Pod pod = PodOf(99, true);
  Candidates nodes;
  nodes.Reset(std::vector<NodeIndex>{0, 0});
  nodes.Reject(0, Reason::kUnknownNode);
  TopologyCheck(kinds.all).Ask({pod, kNow}, cluster::State(), nodes);
  EXPECT_EQ(nodes.reason(0), Reason::kUnknownNode);
  EXPECT_EQ(nodes.reason(1), Reason::kZonesTooSmall);
}

// 64 zones of 6 CPUs and much memory or 8 and little: that no eight of them hold 57 CPUs and 103 memory is more than
// the search can find out, of the empty node either.
TEST(TopologyCheck, APodRefusedForWantOfStepsMayBeCured) {
  cluster::NodeTopology object = kubelet::test::Object(std::vector<std::pair<int64_t, int64_t>>(64), "restricted");
  for (cluster::Zone& zone : object.zones) {
    const int64_t cpus = zone.id % 2 == 0 ? 6 : 8;
    zone.allocatable = zone.available = {{kCpu, cpus * 1000}, {kMemory, 20 - cpus}};
  }
  NodeKinds kinds;
  kinds.all.NodeChanged(0, &object);
  auto reason = [&](int64_t cpus, int64_t memory) {
    const cluster::Pod pod = huygens::test::PodAsking({{kCpu, cpus * 1000}, {kMemory, memory}});
    Candidates nodes;
    nodes.Reset(std::vector<NodeIndex>{0});
    TopologyCheck(kinds.all).Ask({pod, kNow}, cluster::State(), nodes);
    return nodes.reason(0);
  };
  EXPECT_EQ(reason(57, 103), Reason::kCannotAlignContainer);
  EXPECT_EQ(reason(57, 100000), Reason::kNeverAlignsContainer);
  EXPECT_EQ(reason(57, 102), Reason::kFits);
}

}  // namespace
}  // namespace huygens::policy
