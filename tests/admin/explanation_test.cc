// What people are told of a refusal for zones, from the decision core to the page.
#include "admin/explanation.h"

#include <gmock/gmock.h>

#include "admin/debug_json.h"
#include "tests/admin/core_fixture.h"

namespace huygens::admin {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;

class ExplanationTest : public CoreTest {
 protected:
  explicit ExplanationTest(placement::Options options = {}) : CoreTest(std::move(options)) {}
  std::string Of(const cluster::Pod& pod, std::string_view node) {
    const auto said = Explain(*placement_, pod, {&node, 1}, clock_.Now());
    return said.size() == 1 ? Figures(said.front(), resources_, placement_->options()) : "?";
  }
  void Hold(const std::string& name, const std::string& node, std::vector<cluster::ZoneAmount> zones) {
    int64_t cpus = 0;
    for (const auto& zone : zones) cpus += zone.amount.Get(kCpu) / 1000;
    auto holder = std::make_shared<cluster::Pod>(*AddPod(name, static_cast<int>(cpus)));
    holder->node_name = node;
    holder->placement_mark = {holder->uid, holder->node_name, std::move(zones)};
    placement_->Apply(cluster::PodSet{holder});
  }
};

TEST_F(ExplanationTest, OneZoneThatIsTakenAndOneThatIsTooSmallHaveTwoTexts) {
  AddNode("n", {16, 16});
  Hold("holder", "n", {{0, ResourceVector{{kCpu, 13'000}}}, {1, ResourceVector{{kCpu, 11'000}}}});
  EXPECT_EQ(Of(*AddPod("big", 17), "n"),
            "needs 17 cpu in one zone, as the pod asks; largest node1: 5 of 16 free; too small even when empty");
  EXPECT_EQ(Of(*AddPod("small", 6), "n"),
            "needs 6 cpu in one zone, as the pod asks; freest node1: 5 of 16 free; taken by other pods; over several "
            "zones it would fit");
  EXPECT_EQ(Of(*AddPod("fits", 5), "n"), "");
}

TEST_F(ExplanationTest, WhoAsksForOneZoneIsSaidAndWhetherSeveralWouldDo) {
  AddNode("n", {16, 16});
  cluster::NodeTopology topology = *placement_->state().Topology(*placement_->state().FindNode("n"));
  topology.single_numa = true;
  placement_->Apply(cluster::TopologySet{topology});
  Hold("holder", "n", {{0, ResourceVector{{kCpu, 13'000}}}});
  auto pod = std::make_shared<cluster::Pod>(*AddPod("p", 19));
  pod->topology_awareness.reset();
  EXPECT_EQ(Of(*pod, "n"),
            "needs 19 cpu in one zone, as the node asks; largest node1: 16 of 16 free; too small even when empty; over "
            "several zones it would fit");
  pod->containers[0].requests = pod->containers[0].limits = {{kCpu, 20'000}};
  EXPECT_THAT(Of(*pod, "n"), EndsWith("even when empty")) << "nor would it fit over both";
}

TEST_F(ExplanationTest, APodThatMayCrossZonesIsToldOfAllTogether) {
  AddNode("n", {16, 16});
  Hold("holder", "n", {{0, ResourceVector{{kCpu, 13'000}}}});
  auto crossing = std::make_shared<cluster::Pod>(*AddPod("crossing", 20));
  crossing->topology_awareness = false;
  EXPECT_EQ(Of(*crossing, "n"), "needs 20 cpu; all zones together: 19 of 32 free; taken by other pods");
}

TEST_F(ExplanationTest, WhereKubeletPinsTheFiguresAreThoseOfTheContainer) {
  placement_->Apply(cluster::NodeSet{{.name = "k", .uid = "u"}});
  cluster::NodeTopology topology{.source = cluster::TopologySource::kCommunity, .node_name = "k"};
  topology.attributes = {{"topologyManagerPolicy", "single-numa-node"}};
  for (int id : {0, 1}) {
    const ResourceVector all{{kCpu, 8000}}, left{{kCpu, id == 0 ? 2000 : 3000}};
    topology.zones.push_back({.id = id,
                              .name = Concat("node-", std::to_string(id)),
                              .capacity = all,
                              .allocatable = all,
                              .available = left});
  }
  placement_->Apply(cluster::TopologySet{topology});
  auto pod = std::make_shared<cluster::Pod>(*AddPod("p", 4));
  for (ResourceVector* amounts : {&pod->containers[0].requests, &pod->containers[0].limits}) amounts->Set(kMemory, 1);
  constexpr std::string_view kTaken =
      "container main needs 4 cpu in one zone; freest node-1: 3 of 8 free; taken by other pods";
  EXPECT_EQ(Of(*pod, "k"), Concat(kTaken,
                                  ", says its topology object, but no pod known there holds 5 cpu of it: is its "
                                  "exporter alive?"));
  topology.written = clock_.Now() - std::chrono::hours(3);
  placement_->Apply(cluster::TopologySet{topology});
  EXPECT_EQ(Of(*pod, "k"), Concat(kTaken,
                                  ", says its topology object, written 2026-11-21T09:00:00Z, but no pod known "
                                  "there holds 5 cpu of it: is its exporter alive?"));
  EXPECT_EQ(DescribeNode(*placement_, "k", clock_.Now(), resources_)->topology_written, "2026-11-21T09:00:00Z");
}

TEST_F(ExplanationTest, CpusOfWhichWholeCoresCannotBeMadeAreNotCalledTooMany) {
  placement_->Apply(cluster::NodeSet{{.name = "k", .uid = "u"}});
  cluster::NodeTopology topology{.source = cluster::TopologySource::kCommunity, .node_name = "k"};
  topology.attributes = {{"cpuManagerOptionFullPcpusOnly", "true"}, {"topologyManagerPolicy", "restricte"}};
  for (int id : {0, 1}) {
    const ResourceVector all{{kCpu, 8000}};
    topology.zones.push_back(
        {.id = id, .name = Concat("node-", std::to_string(id)), .capacity = all, .allocatable = all, .available = all});
  }
  placement_->Apply(cluster::TopologySet{topology});
  const auto guaranteed = [&](int cpus) {
    auto pod = std::make_shared<cluster::Pod>(*AddPod("p", cpus));
    for (ResourceVector* amounts : {&pod->containers[0].requests, &pod->containers[0].limits}) amounts->Set(kMemory, 1);
    return pod;
  };
  EXPECT_EQ(Of(*guaranteed(8), "k"), "");
  EXPECT_EQ(Of(*guaranteed(7), "k"),
            "kubelet gives whole cores only (full-pcpus-only, 2 threads each): container main asks for 7 cpu, which is "
            "no multiple of 2");
  EXPECT_EQ(Of(*guaranteed(18), "k"),
            "needs 18 cpu in any zones (topology manager policy none); all: 16 of 16 free; too small even when empty");
  const std::string_view names[] = {"k"};
  EXPECT_THAT(Explain(*placement_, *guaranteed(7), names, clock_.Now())[0].ignored,
              HasSubstr("topologyManagerPolicy: kubelet knows no restricte, so it counts as absent"));
}

TEST_F(ExplanationTest, SeveralZonesAreNoWayOutWhereRequestsForbidIt) {
  AddNode("n", {8, 8});
  placement_->Apply(cluster::NodeSet{{.name = "n", .uid = "uid-n", .allocatable = {{kCpu, 16'000}, {kPodSlots, 110}}}});
  auto shared = test::NamedPod("shared", {{kCpu, 5'500}});
  shared->containers[0].limits = {};
  shared->node_name = "n";
  placement_->Apply(cluster::PodSet{shared});
  EXPECT_THAT(Of(*AddPod("fits", 9), "n"), EndsWith("; over several zones it would fit"));
  const auto pod = AddPod("p", 11);
  EXPECT_EQ(Of(*pod, "n"),
            "needs 11 cpu in one zone, as the pod asks; largest node0: 8 of 8 free; too small even when empty; over "
            "several zones the zones would hold it, but only 10500m cpu of the node are unrequested");
  const std::string_view names[] = {"n"};
  EXPECT_EQ(Explain(*placement_, *pod, names, clock_.Now())[0].asks, (ResourceVector{{kCpu, 11'000}}));
}

TEST_F(ExplanationTest, AZoneThatIsTooSmallIsNotCalledTheFreest) {
  AddNode("n", {15, 16});
  Hold("holder", "n", {{0, ResourceVector{{kCpu, 4000}}}, {1, ResourceVector{{kCpu, 8000}}}});
  EXPECT_THAT(Of(*AddPod("p", 16), "n"), HasSubstr("; freest node1: 8 of 16 free; taken by other pods"))
      << "node0 has more that is free, and could never hold the pod";
  EXPECT_THAT(Of(*AddPod("q", 17), "n"), HasSubstr("; largest node1: 8 of 16 free; too small even when empty"));
}

TEST_F(ExplanationTest, AnUnusableTopologyIsToldWithItsDefect) {
  AddNode("n", {16});
  cluster::NodeTopology topology = *placement_->state().Topology(*placement_->state().FindNode("n"));
  topology.zones.clear();
  topology.defect = "65 zones";
  placement_->Apply(cluster::TopologySet{topology});
  EXPECT_EQ(Of(*AddPod("p", 2), "n"), "65 zones");
}

TEST_F(ExplanationTest, ALostTopologySaysHowMuchOfItsGraceIsLeft) {
  AddNode("n", {16});
  placement_->Apply(cluster::TopologyGone{cluster::TopologySource::kCrane, "n"});
  (void)placement_->AgeLosses(std::chrono::seconds(5000));
  (void)placement_->AgeLosses(std::chrono::seconds(5188));
  EXPECT_EQ(Of(*AddPod("p", 2), "n"),
            "its NodeResourceTopology was deleted 188 s ago; pods that need zones wait for it, 412 s more at most "
            "(topology.lossGrace: 10m)");
}

TEST_F(ExplanationTest, ATopologyThatDidNotComeBackIsNotForgotten) {
  AddNode("n", {16});
  const cluster::NodeIndex node = *placement_->state().FindNode("n");
  const cluster::NodeTopology topology = *placement_->state().Topology(node);
  const auto lose = [&] {
    placement_->Apply(cluster::TopologyGone{cluster::TopologySource::kCrane, "n"});
    (void)placement_->AgeLosses(std::chrono::seconds(0));
    (void)placement_->AgeLosses(std::chrono::seconds(600));
  };
  lose();
  const auto pod = AddPod("p", 2);
  constexpr std::string_view kGivenUp =
      "its NodeResourceTopology was deleted, and did not come back within topology.lossGrace (10m)";
  EXPECT_EQ(Of(*pod, "n"), kGivenUp);
  EXPECT_EQ(WhyNoZones(*placement_, *pod, node), Concat("node n has no NodeResourceTopology: ", kGivenUp));
  EXPECT_THAT(DescribeNode(*placement_, "n", clock_.Now(), resources_)->notices,
              ElementsAre(Concat(kGivenUp, ": the node counts as one without, which gives no zones")));
  placement_->Apply(cluster::TopologySet{topology});
  placement_->Apply(cluster::TopologyGone{cluster::TopologySource::kCrane, "n"});
  EXPECT_FALSE(placement_->state().TopologyGivenUp(node)) << "what it last said holds again";
  lose();
  placement_->Apply(cluster::NodeGone{"n"});
  placement_->Apply(cluster::NodeSet{{.name = "n", .uid = "uid-n"}});
  EXPECT_EQ(Of(*pod, "n"), "") << "a node that never had one";
}

class NoObjectTest : public ExplanationTest {
 protected:
  explicit NoObjectTest(bool pass = true) : ExplanationTest({.topology = {.nodes_without_topology_pass = pass}}) {
    placement_->Apply(cluster::NodeSet{{.name = "plain", .uid = "u", .allocatable = {{kCpu, 8000}, {kPodSlots, 110}}}});
  }
  std::string Insists(const cluster::Pod& pod) {
    const std::string_view names[] = {"plain"};
    const auto said = Explain(*placement_, pod, names, clock_.Now());
    EXPECT_EQ(said[0].reason, policy::Reason::kNoTopology);
    return said[0].insists;
  }
};

TEST_F(NoObjectTest, APodThatInsistsOnZonesIsToldSoWhereTheNodeWouldTakeItElse) {
  auto pod = std::make_shared<cluster::Pod>(*AddPod("p", 2));
  EXPECT_EQ(Insists(*pod), "topology.crane.io/topology-awareness: \"true\"");
  pod->smt = cluster::Smt::kSpread;
  EXPECT_EQ(Insists(*pod), "topology.crane.io/topology-awareness: \"true\", huygens.dev/smt");
  EXPECT_EQ(Insists(*AddPod("large", 9)), "") << "the node is too small by requests";
}

class NoObjectDemandedTest : public NoObjectTest {
 protected:
  NoObjectDemandedTest() : NoObjectTest(false) {}
};

TEST_F(NoObjectDemandedTest, WhereTheOperatorDemandsAnObjectThePodIsNotToBlame) {
  const auto pod = AddPod("p", 2);
  EXPECT_EQ(Insists(*pod), "");
  const std::string_view names[] = {"plain"};
  EXPECT_TRUE(Explain(*placement_, *pod, names, clock_.Now())[0].demands_topology);
}

TEST_F(ExplanationTest, WhereKubeletPinsNobodyIsToldToListCores) {
  placement_->Apply(cluster::NodeSet{{.name = "k", .uid = "u"}});
  cluster::NodeTopology topology{.source = cluster::TopologySource::kCommunity, .node_name = "k"};
  topology.attributes = {{"topologyManagerPolicy", "single-numa-node"}};
  const ResourceVector all{{kCpu, 8000}};
  topology.zones.push_back({.id = 0, .name = "node-0", .capacity = all, .allocatable = all, .available = all});
  placement_->Apply(cluster::TopologySet{topology});
  AddNode("n", {8});
  const auto said = [&](int cpus) {
    auto pod = std::make_shared<cluster::Pod>(*AddPod("p", cpus));
    for (ResourceVector* amounts : {&pod->containers[0].requests, &pod->containers[0].limits}) amounts->Set(kMemory, 1);
    pod->smt = cluster::Smt::kSpread;
    const std::string_view names[] = {"k", "n"};
    return Explain(*placement_, *pod, names, clock_.Now());
  };
  const auto small = said(4), large = said(16);
  EXPECT_EQ(small[0].reason, policy::Reason::kUnknownCores);
  EXPECT_TRUE(small[0].gives_no_cores);
  EXPECT_EQ(small[0].insists, "huygens.dev/smt") << "kubelet would take it without";
  EXPECT_EQ(large[0].insists, "");
  EXPECT_EQ(small[1].reason, policy::Reason::kUnknownCores);
  EXPECT_FALSE(small[1].gives_no_cores) << "its agent could list them";
  EXPECT_THAT(Figures(small[0], resources_, placement_->options()), HasSubstr("kubelet pins there"));
}

TEST_F(ExplanationTest, WhetherEmptyZonesTogetherWouldDoIsKnown) {
  AddNode("n", {8, 8});
  Hold("holder", "n", {{0, ResourceVector{{kCpu, 6000}}}});
  const std::string_view names[] = {"n"};
  const auto across = [&](int cpus) { return *Explain(*placement_, *AddPod("p", cpus), names, clock_.Now())[0].zones; };
  EXPECT_TRUE(across(9).fits_across && across(9).holds_across);
  EXPECT_TRUE(!across(12).fits_across && across(12).holds_across);
  EXPECT_FALSE(across(17).holds_across);
}

class LastFigureTest : public ExplanationTest {
 protected:
  LastFigureTest() : ExplanationTest({.topology = {.when_stale = topology::WhenStale::kUseLast}}) {}
};

TEST_F(LastFigureTest, AZoneWhoseRealCapacityIsOutOfDateSaysSo) {
  AddNode("n", {8});
  cluster::NodeTopology topology = *placement_->state().Topology(*placement_->state().FindNode("n"));
  topology.zones[0].offline_cpu = 3000;
  topology.zones[0].offline_updated = clock_.Now() - std::chrono::hours(2);
  placement_->Apply(cluster::TopologySet{topology});
  EXPECT_EQ(Of(*AddPod("p", 5), "n"),
            "needs 5 cpu in one zone, as the pod asks; largest node0: 3 of 3 free; its real capacity, 3 cpu, is out of "
            "date (of 2026-11-21T10:00:00Z); it claims 8 "
            "cpu; too "
            "small even when empty; what is claimed would hold it")
      << "its last figure counts";
}

TEST_F(ExplanationTest, ZonesThatTogetherGiveLessThanTheyClaimSaySo) {
  AddNode("n", {8, 8, 8});
  cluster::NodeTopology topology = *placement_->state().Topology(*placement_->state().FindNode("n"));
  topology.zones[0].offline_cpu = topology.zones[2].offline_cpu = 6000;
  placement_->Apply(cluster::TopologySet{topology});
  auto pod = std::make_shared<cluster::Pod>(*AddPod("p", 23));
  pod->topology_awareness = false;
  EXPECT_EQ(
      Of(*pod, "n"),
      "needs 23 cpu; all zones together: 20 of 20 free; they claim 24 cpu, but the real capacity of node0, node2 is "
      "less; too small even when empty; what is claimed would hold it");
}

class NoFigureTest : public ExplanationTest {
 protected:
  NoFigureTest() : ExplanationTest({.topology = {.when_stale = topology::WhenStale::kReject}}) {}
};

TEST_F(NoFigureTest, AZoneWhoseRealCapacityIsOutOfDateCountsForNothing) {
  AddNode("n", {8});
  cluster::NodeTopology topology = *placement_->state().Topology(*placement_->state().FindNode("n"));
  topology.zones[0].offline_cpu = 6000;
  topology.zones[0].offline_updated = clock_.Now() - std::chrono::hours(2);
  placement_->Apply(cluster::TopologySet{topology});
  EXPECT_EQ(Of(*AddPod("p", 5), "n"),
            "needs 5 cpu in one zone, as the pod asks; freest node0: 0 of 0 free; its real capacity, 6 cpu, is out of "
            "date (of 2026-11-21T10:00:00Z) and counts "
            "for nothing; it claims 8 cpu");
}

TEST_F(NoFigureTest, ZonesWithRoomButForOldRealCapacityAreNamedThoughOthersAreTaken) {
  AddNode("n", {8, 8, 8, 8});
  Hold("holder", "n", {{1, ResourceVector{{kCpu, 8000}}}, {3, ResourceVector{{kCpu, 8000}}}});
  Hold("small", "n", {{0, ResourceVector{{kCpu, 1000}}}});
  cluster::NodeTopology topology = *placement_->state().Topology(*placement_->state().FindNode("n"));
  for (const size_t zone : {0U, 2U}) {
    topology.zones[zone].offline_cpu = zone == 2 ? 3000 : 8000;
    topology.zones[zone].offline_updated =
        clock_.Now() - std::chrono::hours(2 + zone) - std::chrono::minutes(zone == 2 ? 3 : 0);
  }
  placement_->Apply(cluster::TopologySet{topology});
  EXPECT_THAT(Of(*AddPod("p", 4), "n"),
              HasSubstr("; freest node1: 0 of 8 free; taken by other pods; node0: real capacity was 8 cpu, 2h ago (at "
                        "most 5m: topology.realCapacity.staleAfter); the pod fits only if it is now 5 or more; node2: "
                        "real capacity was 3 cpu, 4h 3m ago (at most 5m: topology.realCapacity.staleAfter); the pod "
                        "fits only if it is now 4 or more"));
  EXPECT_THAT(Of(*AddPod("q", 9), "n"), testing::Not(HasSubstr("the pod fits only if")));
}

TEST_F(NoFigureTest, SeveralZonesWithoutRealCapacitySayOfWhenTheLastIs) {
  AddNode("n", {8, 8});
  cluster::NodeTopology topology = *placement_->state().Topology(*placement_->state().FindNode("n"));
  for (cluster::Zone& zone : topology.zones) {
    zone.offline_cpu = 6000;
    zone.offline_updated = clock_.Now() - std::chrono::hours(2 + zone.id);
  }
  placement_->Apply(cluster::TopologySet{topology});
  auto pod = std::make_shared<cluster::Pod>(*AddPod("p", 4));
  pod->topology_awareness = false;
  EXPECT_EQ(Of(*pod, "n"),
            "needs 4 cpu; all zones together: 0 of 0 free; they claim 16 cpu, but the real capacity of node0, node1 is "
            "less or out of date (of 2026-11-21T09:00:00Z); node0: real capacity was 6 cpu, 2h ago (at most 5m: "
            "topology.realCapacity.staleAfter); the pod fits only if it is now 4 or more; node1: real capacity was 6 "
            "cpu, 3h ago (at most 5m: topology.realCapacity.staleAfter); the pod fits only if it is now 4 or more");
}

TEST_F(NoFigureTest, APodThatMayCrossZonesIsToldOfOldRealCapacityToo) {
  AddNode("n", {8, 8, 8});
  Hold("holder", "n", {{0, ResourceVector{{kCpu, 5000}}}, {2, ResourceVector{{kCpu, 2000}}}});
  cluster::NodeTopology topology = *placement_->state().Topology(*placement_->state().FindNode("n"));
  topology.zones[2].offline_cpu = 8000;
  topology.zones[2].offline_updated = clock_.Now() - std::chrono::hours(2);
  placement_->Apply(cluster::TopologySet{topology});
  const auto must = [&](const std::string& name, int cpus) {
    auto pod = std::make_shared<cluster::Pod>(*AddPod(name, cpus));
    pod->topology_awareness = false;
    const std::string_view names[] = {"n"};
    const NodeExplanation said = Explain(*placement_, *pod, names, clock_.Now())[0];
    EXPECT_EQ(said.reason, policy::Reason::kInsufficientZones) << "a victim would help, too";
    return said.zones->stale_zones.size() == 1 ? said.zones->stale_zones[0].must_give : 0;
  };
  EXPECT_EQ(must("p", 13), 4000) << "2 beside the 11 free elsewhere, and the 2 that are held there";
  EXPECT_EQ(must("q", 16), 7000);
}

TEST_F(ExplanationTest, AZoneThatGivesLessThanItClaimsSaysSo) {
  AddNode("n", {8, 8});
  cluster::NodeTopology topology = *placement_->state().Topology(*placement_->state().FindNode("n"));
  for (cluster::Zone& zone : topology.zones) zone.offline_cpu = 6000;
  placement_->Apply(cluster::TopologySet{topology});
  EXPECT_EQ(Of(*AddPod("p", 7), "n"),
            "needs 7 cpu in one zone, as the pod asks; largest node0: 6 of 6 free; it claims 8 cpu, but its real "
            "capacity is less; too "
            "small even when empty; what is claimed would hold it; over several zones it would fit");
  const auto claims_hold = [&](int cpus) {
    const std::string_view names[] = {"n"};
    return Explain(*placement_, *AddPod("p", cpus), names, clock_.Now())[0].zones->claims_hold;
  };
  EXPECT_TRUE(claims_hold(8));
  EXPECT_FALSE(claims_hold(9));
}

TEST_F(ExplanationTest, APodWithoutZonesHasOneCause) {
  AddNode("n", {16});
  placement_->Apply(cluster::NodeSet{{.name = "bare", .uid = "u"}});
  const cluster::NodeIndex node = *placement_->state().FindNode("n"), bare = *placement_->state().FindNode("bare");
  auto pod = std::make_shared<cluster::Pod>(*AddPod("p", 2));
  EXPECT_EQ(WhyNoZones(*placement_, *pod, node), "");
  EXPECT_EQ(WhyNoZones(*placement_, *pod, bare), "node bare has no NodeResourceTopology");
  auto& main = pod->containers[0];
  main.limits = {{kCpu, 3000}};
  EXPECT_EQ(WhyNoZones(*placement_, *pod, node), "container main has a cpu request of 2 and another limit, 3");
  main.requests = main.limits = {{kCpu, 1500}};
  EXPECT_EQ(WhyNoZones(*placement_, *pod, node), "container main asks for 1500m cpu, which is no whole number");
  main.limits = {};
  EXPECT_THAT(WhyNoZones(*placement_, *pod, node), HasSubstr("container main has no cpu limit"));
  pod->cpu_policy = cluster::CpuPolicy::kNone;
  EXPECT_THAT(WhyNoZones(*placement_, *pod, node), HasSubstr("topology.crane.io/cpu-policy is none"));
  pod->owned_by_daemon_set = true;
  EXPECT_EQ(WhyNoZones(*placement_, *pod, node), "it is a pod of a DaemonSet");
}

}  // namespace
}  // namespace huygens::admin
