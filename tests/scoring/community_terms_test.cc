#include "scoring/community_terms.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>

#include "scoring/registry.h"
#include "tests/policy/sources.h"

namespace huygens::scoring {
namespace {

constexpr int64_t kGi = int64_t{1} << 30;

cluster::Container Guaranteed(int64_t milli_cpus, int64_t memory) {
  const ResourceVector amounts = {{kCpu, milli_cpus}, {kMemory, memory}};
  return {.name = "c", .requests = amounts, .limits = amounts};
}

cluster::Zone ZoneOf(int id, int64_t milli_cpus, int64_t memory) {
  cluster::Zone zone;
  zone.id = id;
  zone.name = "node-" + std::to_string(id);
  zone.available = zone.allocatable = zone.capacity = {{kCpu, milli_cpus}, {kMemory, memory}};
  return zone;
}

class CommunityTermsTest : public testing::Test {
 protected:
  CommunityTermsTest() {
    state_.AddAccount(kinds_.all);
    topology_.source = cluster::TopologySource::kCommunity;
    topology_.node_name = "n";
    SetAttributes("single-numa-node", "container");
    topology_.zones = {ZoneOf(0, 8000, 8 * kGi), ZoneOf(1, 8000, 8 * kGi)};
    pod_.uid = "new";
    pod_.containers = {Guaranteed(2000, 2 * kGi)};
  }

  void SetAttributes(std::string policy, std::string scope) {
    topology_.attributes = {{"topologyManagerPolicy", std::move(policy)}, {"topologyManagerScope", std::move(scope)}};
  }
  void SetDistances(std::initializer_list<std::initializer_list<int>> rows) {
    size_t from = 0;
    for (const auto& row : rows) {
      size_t to = 0;
      topology_.zones[from].costs.clear();
      for (int distance : row) topology_.zones[from].costs.emplace_back(topology_.zones[to++].id, distance);
      ++from;
    }
  }

  // In hundredths.
  double Ask(std::string_view term, const ResourceVector& weights = {}) {
    state_.Apply(cluster::NodeSet{{.name = "n"}});
    state_.Apply(cluster::TopologySet{topology_});
    const TermEntry* entry = FindTerm(term);
    auto made = entry->make({sources_.For(entry->needs), weights});
    EXPECT_EQ(made->name(), term);
    const NodeIndex node = *state_.FindNode("n");
    float score = -1;
    made->Ask(PodQuery(pod_, Time()), state_, {&node, 1}, {&score, 1});
    return std::round(score * 1e4) / 100;
  }

  policy::test::SourcesOfAll sources_;
  kubelet::test::NodeKinds& kinds_ = sources_.kinds;
  cluster::State state_;
  cluster::NodeTopology topology_;
  cluster::Pod pod_;
};

constexpr const char* kTermNames[] = {"LeastAllocated", "MostAllocated", "BalancedAllocation", "LeastNUMANodes"};

TEST_F(CommunityTermsTest, TheThreeStrategies) {
  pod_.containers = {Guaranteed(2000, 4 * kGi)};  // a quarter and a half of a zone
  EXPECT_EQ(Ask("LeastAllocated"), (75 + 50) / 2);
  EXPECT_EQ(Ask("MostAllocated"), (25 + 50) / 2);
  EXPECT_EQ(Ask("BalancedAllocation"), 96);  // variance 1/32
  EXPECT_EQ(Ask("LeastAllocated", {{kCpu, 3}}), (3 * 75 + 50) / 4);
  EXPECT_EQ(Ask("MostAllocated", {{kMemory, 9}}), (25 + 9 * 50) / 10);
}

TEST_F(CommunityTermsTest, TheWorstZoneThatHasAnythingCounts) {
  topology_.zones = {ZoneOf(0, 1000, kGi), ZoneOf(1, 4000, 4 * kGi), ZoneOf(2, 8000, 8 * kGi)};
  EXPECT_EQ(Ask("LeastAllocated"), 50);
  EXPECT_EQ(Ask("MostAllocated"), 25);
}

TEST_F(CommunityTermsTest, ScopeContainerMeansOverContainersAndScopePodAddsThemUp) {
  pod_.init_containers = {Guaranteed(8000, 8 * kGi)};
  pod_.containers = {Guaranteed(2000, 2 * kGi), Guaranteed(4000, 4 * kGi)};
  EXPECT_EQ(Ask("MostAllocated"), (100 + 25 + 50) / 3);
  SetAttributes("single-numa-node", "pod");
  EXPECT_EQ(Ask("MostAllocated"), 100);
  pod_.init_containers.clear();
  EXPECT_EQ(Ask("MostAllocated"), 75);
}

TEST_F(CommunityTermsTest, WhatHasBeenBoundSinceIsNotAvailable) {
  pod_.containers = {Guaranteed(4000, 4 * kGi)};
  topology_.zones.pop_back();
  EXPECT_EQ(Ask("MostAllocated"), 50);
  auto bound = std::make_shared<cluster::Pod>(pod_);
  bound->uid = "bound";
  bound->containers = {Guaranteed(3000, 3 * kGi)};
  ASSERT_TRUE(state_.Reserve(bound, *state_.FindNode("n"), {{0, {{kCpu, 3000}, {kMemory, 3 * kGi}}}}, Time()).ok());
  EXPECT_EQ(Ask("MostAllocated"), 80);  // 4 of 5
  EXPECT_EQ(Ask("LeastAllocated"), 20);
  EXPECT_EQ(Ask("LeastNUMANodes"), 94);
  state_.Release("bound");
  EXPECT_EQ(Ask("MostAllocated"), 50);
}

TEST_F(CommunityTermsTest, FractionsOfACpuStay) {
  topology_.zones = {ZoneOf(0, 2500, 8 * kGi)};
  pod_.containers = {Guaranteed(2200, 8 * kGi)};
  EXPECT_EQ(Ask("MostAllocated"), 100);  // fits by the milli-core, counts in whole cores: 3 of 3
  pod_.containers = {Guaranteed(2600, 8 * kGi)};
  EXPECT_EQ(Ask("MostAllocated"), 50);
}

TEST_F(CommunityTermsTest, IdsAreLabels) {
  for (const char* term : kTermNames) {
    SCOPED_TRACE(term);
    topology_.zones = {ZoneOf(0, 8000, 8 * kGi), ZoneOf(1, 8000, 8 * kGi)};
    pod_.containers = {Guaranteed(6000, 6 * kGi), Guaranteed(6000, 6 * kGi)};
    const double dense = Ask(term);
    topology_.zones = {ZoneOf(7, 8000, 8 * kGi), ZoneOf(63, 8000, 8 * kGi)};
    EXPECT_EQ(Ask(term), dense);
    topology_.zones.push_back(ZoneOf(64, 9000, 1));
    EXPECT_EQ(Ask(term), dense) << "kubelet cannot hold the zone";
  }
}

TEST_F(CommunityTermsTest, WhereThereIsNothingToSay) {
  for (const char* term : kTermNames) {
    SCOPED_TRACE(term);
    pod_.containers = {Guaranteed(2000, 2 * kGi)};
    SetAttributes("restricted", "pod");
    EXPECT_EQ(Ask(term) > 0, std::string_view(term) == "LeastNUMANodes");
    SetAttributes("single-numa-node", "pod");
    pod_.containers[0].limits = {};  // Burstable
    EXPECT_EQ(Ask(term), 100);
    pod_.qos_class = cluster::QosClass::kGuaranteed;
    pod_.containers = {{.name = "asks nothing"}};
    EXPECT_EQ(Ask(term), 100);
    pod_.qos_class.reset();
    pod_.containers = {Guaranteed(2000, 2 * kGi)};
    cluster::NodeTopology whole = topology_;
    topology_.zones.clear();
    topology_.defect = "broken";
    EXPECT_EQ(Ask(term), 0);
    topology_ = whole;
    topology_.source = cluster::TopologySource::kCrane;
    topology_.pinned_by_agent = true;
    EXPECT_TRUE(std::isnan(Ask(term)));
    state_.Apply(cluster::TopologyGone{cluster::TopologySource::kCrane, "n"});
    topology_ = whole;
  }
}

TEST_F(CommunityTermsTest, OneResourceIsBalanced) {
  pod_.qos_class = cluster::QosClass::kGuaranteed;
  pod_.containers = {{.name = "c", .requests = {{kCpu, 1000}}}};
  EXPECT_EQ(Ask("BalancedAllocation"), 100);
  pod_.containers[0].requests = {{kCpu, 9000}};
  EXPECT_EQ(Ask("BalancedAllocation"), 0);
}

TEST_F(CommunityTermsTest, FewerZonesAreBetterAndNearZonesHalfAStep) {
  topology_.zones.push_back(ZoneOf(2, 8000, 8 * kGi));
  SetDistances({{10, 31, 21}, {31, 10, 21}, {21, 21, 10}});
  EXPECT_EQ(Ask("LeastNUMANodes"), 94);
  pod_.containers = {Guaranteed(12000, 12 * kGi)};
  EXPECT_EQ(Ask("LeastNUMANodes"), 82);
  topology_.zones[2].available = {};
  EXPECT_EQ(Ask("LeastNUMANodes"), 76) << "only the two zones that are far apart are left";
  pod_.containers = {Guaranteed(12000, 17 * kGi)};
  EXPECT_EQ(Ask("LeastNUMANodes"), 0);
}

TEST_F(CommunityTermsTest, ADistanceOfMoreThan255OrNoneIs255) {
  topology_.zones.push_back(ZoneOf(2, 8000, 8 * kGi));
  pod_.containers = {Guaranteed(12000, 12 * kGi)};
  topology_.zones[2].available = {};
  SetDistances({{10, 254, 253}, {254, 10, 253}, {253, 253, 10}});
  EXPECT_EQ(Ask("LeastNUMANodes"), 76) << "the zones left are farther apart than others";
  SetDistances({{10, 300, 260}, {300, 10, 260}, {260, 260, 10}});
  EXPECT_EQ(Ask("LeastNUMANodes"), 82);
  SetDistances({{10, 300, 260}, {300, 10, 260}, {260, 260}});
  EXPECT_EQ(Ask("LeastNUMANodes"), 82);
  SetDistances({{10}, {10, 10}, {254, 255, 10}});
  EXPECT_EQ(Ask("LeastNUMANodes"), 82) << "zone 0 does not say how far zone 1 is, which is near to it all the same";
  SetDistances({{10}, {254, 10}, {10, 255, 10}});
  EXPECT_EQ(Ask("LeastNUMANodes"), 76);
}

TEST_F(CommunityTermsTest, ContainersTakeTheirZonesOneAfterTheOther) {
  pod_.containers = {Guaranteed(6000, kGi), Guaranteed(6000, kGi)};
  EXPECT_EQ(Ask("LeastNUMANodes"), 94);
  pod_.containers.push_back(Guaranteed(4000, kGi));
  EXPECT_EQ(Ask("LeastNUMANodes"), 82) << "two CPUs of each zone are left";
  pod_.containers.push_back(Guaranteed(1000, kGi));
  EXPECT_EQ(Ask("LeastNUMANodes"), 0);
}

TEST_F(CommunityTermsTest, MaxNumaNodesMakesTheStep) {
  pod_.containers = {Guaranteed(12000, 12 * kGi)};
  topology_.attributes.insert(topology_.attributes.begin(), {"topologyManagerMaxNUMANodes", "4"});
  EXPECT_EQ(Ask("LeastNUMANodes"), 100 - 2 * 25 + 12);
  for (const char* unreadable : {"", "1", "0", "-4", "four", "4.0", " 4", "9223372036854775808"}) {
    topology_.attributes[0].second = unreadable;
    EXPECT_EQ(Ask("LeastNUMANodes"), 82) << unreadable;
  }
  // scheduler-plugins, pkg/noderesourcetopology/nodeconfig/topologymanager.go, updateFromAttributes: the last valid
  // one, an int of 64 bits, cut to 1024.
  topology_.attributes[0].second = "99999999999";
  EXPECT_EQ(Ask("LeastNUMANodes"), 100) << "the step is 100 / 1024";
  topology_.attributes[0].second = "4";
  topology_.attributes.insert(topology_.attributes.begin() + 1, {"topologyManagerMaxNUMANodes", "abc"});
  EXPECT_EQ(Ask("LeastNUMANodes"), 100 - 2 * 25 + 12);
  topology_.attributes[1].second = "+5";
  EXPECT_EQ(Ask("LeastNUMANodes"), 100 - 2 * 20 + 10);
  topology_.attributes[1].second = "0";
  topology_.attributes[0].second = "2";
  topology_.zones.push_back(ZoneOf(2, 8000, 8 * kGi));
  pod_.containers = {Guaranteed(24000, 24 * kGi)};
  EXPECT_EQ(Ask("LeastNUMANodes"), 0) << "upstream: -25";
}

// The figures of a zone contradict each other as much as they can: where one resource is plenty the other is scarce.
TEST_F(CommunityTermsTest, TheSearchEndsOn64Zones) {
  topology_.zones.clear();
  for (int id = 0; id < 64; ++id) {
    topology_.zones.push_back(ZoneOf(id, 1000 * (1 + id * 37 % 64), kGi * (64 - id * 37 % 64)));
    for (int to = 0; to < 64; ++to) topology_.zones.back().costs.emplace_back(to, id == to ? 10 : 11 + id * to % 200);
  }
  pod_.containers = {Guaranteed(1000 * 1040, 1040 * kGi)};
  topology_.attributes.insert(topology_.attributes.begin(), {"topologyManagerMaxNUMANodes", "64"});
  const auto before = std::chrono::steady_clock::now();
  EXPECT_GT(Ask("LeastNUMANodes"), 0);
  EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::seconds(1));
  EXPECT_EQ(Ask("LeastNUMANodes"), Ask("LeastNUMANodes"));
}

}  // namespace
}  // namespace huygens::scoring
