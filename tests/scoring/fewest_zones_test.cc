#include "scoring/fewest_zones.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/base/clock.h"
#include "tests/cluster/build.h"
#include "tests/kubelet/node_kinds.h"
#include "tests/topology/placed_pod.h"

namespace huygens::scoring {
namespace {

using test::kNow;

// Zones of 4 CPUs, each two of them `distance` apart.
cluster::NodeTopology Object(int zones, int distance) {
  cluster::NodeTopology topology;
  topology.pinned_by_agent = true;
  for (int a = 0; a < zones; ++a) {
    cluster::Zone zone;
    zone.id = a;
    zone.allocatable = {{kCpu, 4000}};
    for (int b = 0; b < zones; ++b) zone.costs.push_back({b, a == b ? 10 : distance});
    topology.zones.push_back(zone);
  }
  return topology;
}

using kubelet::test::NodeKinds;

float ScoreOf(const NodeKinds& kinds, int64_t cpus, std::optional<bool> aware = false) {
  cluster::Pod pod = cpus > 0 ? test::PodAsking({{kCpu, cpus * 1000}}) : cluster::Pod();
  pod.topology_awareness = aware;
  const NodeIndex node = 0;
  float score = -1;
  FewestZones(kinds.all).Ask({pod, kNow}, cluster::State(), {&node, 1}, {&score, 1});
  return score;
}

TEST(FewestZones, FallsWithTheNumberOfZones) {
  NodeKinds kinds;
  auto object = Object(4, 10);
  kinds.all.NodeChanged(0, &object);
  EXPECT_FLOAT_EQ(ScoreOf(kinds, 1), 1);
  EXPECT_FLOAT_EQ(ScoreOf(kinds, 4), 1);
  EXPECT_FLOAT_EQ(ScoreOf(kinds, 5), 1.0f / 2);
  EXPECT_FLOAT_EQ(ScoreOf(kinds, 12), 1.0f / 3);
  EXPECT_FLOAT_EQ(ScoreOf(kinds, 16), 1.0f / 4);
}

TEST(FewestZones, FallsWithDistanceButNeverBelowMoreZones) {
  NodeKinds kinds;
  float before = 1;
  for (int distance : {10, 11, 21, 40, 254}) {
    auto object = Object(4, distance);
    kinds.all.NodeChanged(0, &object);
    EXPECT_FLOAT_EQ(ScoreOf(kinds, 4), 1) << distance;
    float two = ScoreOf(kinds, 5);
    EXPECT_LT(two, before) << distance;
    EXPECT_GT(two, 1.0f / 3) << distance;
    before = two;
  }
  auto unreachable = Object(4, 255);
  kinds.all.NodeChanged(0, &unreachable);
  EXPECT_FLOAT_EQ(ScoreOf(kinds, 5), 1.0f / 3);
}

TEST(FewestZones, FollowsItsFormula) {
  EXPECT_FLOAT_EQ(FewestZonesScore({0b11, 2, 2 * 21}), static_cast<float>(0.5 - 11.0 / 245 * (0.5 - 1.0 / 3)));
  EXPECT_FLOAT_EQ(FewestZonesScore({0b111, 3, 6 * 255}), 0.25f);
  EXPECT_FLOAT_EQ(FewestZonesScore({0b11, 2, 2 * 5}), 0.5f);
}

TEST(FewestZones, ANodeThatCannotTakeThePodIsWorst) {
  NodeKinds kinds;
  auto object = Object(2, 21);
  kinds.all.NodeChanged(0, &object);
  EXPECT_EQ(ScoreOf(kinds, 5, true), 0);
  EXPECT_EQ(ScoreOf(kinds, 9, false), 0);
}

TEST(FewestZones, HasNoOpinionWhereNothingIsChosen) {
  NodeKinds kinds;
  EXPECT_TRUE(std::isnan(ScoreOf(kinds, 1)));  // no object
  auto object = Object(2, 21);
  kinds.all.NodeChanged(0, &object);
  EXPECT_TRUE(std::isnan(ScoreOf(kinds, 0)));  // asks nothing
  object.pinned_by_agent = false;
  kinds.all.NodeChanged(0, &object);
  EXPECT_TRUE(std::isnan(ScoreOf(kinds, 1)));  // kubelet pins
}

TEST(FewestZones, TheQuickWayAgreesWithTheSearch) {
  NodeKinds kinds;
  auto object = Object(2, 21);
  object.zones[0].allocatable = {{kCpu, 4700}};
  kinds.all.NodeChanged(0, &object);
  kinds.all.Place(topology::test::HoldingPod({{0, {{kCpu, 700}}}, {1, {{kCpu, 2000}}}}));
  // 4.0 CPUs are free in zone 0, but across zones only 3.3 of its 4 whole CPUs.
  EXPECT_FLOAT_EQ(ScoreOf(kinds, 4, true), 1);
  EXPECT_LT(ScoreOf(kinds, 4, false), 0.5f);
  EXPECT_FLOAT_EQ(ScoreOf(kinds, 3, false), 1);
}

}  // namespace
}  // namespace huygens::scoring
