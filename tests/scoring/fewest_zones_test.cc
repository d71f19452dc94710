#include "scoring/fewest_zones.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/topology/placed_pod.h"

namespace huygens::scoring {
namespace {

const Time kNow = Time(std::chrono::hours(24 * 365 * 56));

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

const kubelet::Account kNoKubelet({});

float ScoreOf(const topology::ZoneAccount& zones, int64_t cpus, std::optional<bool> aware = false) {
  cluster::Pod pod;
  PodQuery query{pod, {}, kNow};
  if (cpus > 0) query.zones = {{cpus * 1000}, aware};
  const NodeIndex node = 0;
  float score = -1;
  FewestZones(zones, kNoKubelet).Score(query, cluster::State(), {&node, 1}, {&score, 1});
  return score;
}

TEST(FewestZones, FallsWithTheNumberOfZones) {
  topology::ZoneAccount zones({});
  auto object = Object(4, 10);
  zones.NodeChanged(0, &object);
  EXPECT_FLOAT_EQ(ScoreOf(zones, 1), 1);
  EXPECT_FLOAT_EQ(ScoreOf(zones, 4), 1);
  EXPECT_FLOAT_EQ(ScoreOf(zones, 5), 1.0f / 2);
  EXPECT_FLOAT_EQ(ScoreOf(zones, 12), 1.0f / 3);
  EXPECT_FLOAT_EQ(ScoreOf(zones, 16), 1.0f / 4);
}

TEST(FewestZones, FallsWithDistanceButNeverBelowMoreZones) {
  topology::ZoneAccount zones({});
  float before = 1;
  for (int distance : {10, 11, 21, 40, 254}) {
    auto object = Object(4, distance);
    zones.NodeChanged(0, &object);
    EXPECT_FLOAT_EQ(ScoreOf(zones, 4), 1) << distance;
    float two = ScoreOf(zones, 5);
    EXPECT_LT(two, before) << distance;
    EXPECT_GT(two, 1.0f / 3) << distance;
    before = two;
  }
  auto unreachable = Object(4, 255);
  zones.NodeChanged(0, &unreachable);
  EXPECT_FLOAT_EQ(ScoreOf(zones, 5), 1.0f / 3);
}

TEST(FewestZones, FollowsItsFormula) {
  EXPECT_FLOAT_EQ(FewestZonesScore({0b11, 2, 2 * 21}), static_cast<float>(0.5 - 11.0 / 245 * (0.5 - 1.0 / 3)));
  EXPECT_FLOAT_EQ(FewestZonesScore({0b111, 3, 6 * 255}), 0.25f);
  EXPECT_FLOAT_EQ(FewestZonesScore({0b11, 2, 2 * 5}), 0.5f);
}

TEST(FewestZones, ANodeThatCannotTakeThePodIsWorst) {
  topology::ZoneAccount zones({});
  auto object = Object(2, 21);
  zones.NodeChanged(0, &object);
  EXPECT_EQ(ScoreOf(zones, 5, true), 0);
  EXPECT_EQ(ScoreOf(zones, 9, false), 0);
}

TEST(FewestZones, HasNoOpinionWhereNothingIsChosen) {
  topology::ZoneAccount zones({});
  EXPECT_TRUE(std::isnan(ScoreOf(zones, 1)));  // no object
  auto object = Object(2, 21);
  zones.NodeChanged(0, &object);
  EXPECT_TRUE(std::isnan(ScoreOf(zones, 0)));  // asks nothing
  object.pinned_by_agent = false;
  zones.NodeChanged(0, &object);
  EXPECT_TRUE(std::isnan(ScoreOf(zones, 1)));  // kubelet pins
}

TEST(FewestZones, TheQuickWayAgreesWithTheSearch) {
  topology::ZoneAccount zones({});
  auto object = Object(2, 21);
  object.zones[0].allocatable = {{kCpu, 4700}};
  zones.NodeChanged(0, &object);
  zones.Place(topology::test::HoldingPod({{0, {{kCpu, 700}}}, {1, {{kCpu, 2000}}}}));
  // 4.0 CPUs are free in zone 0, but across zones only 3.3 of its 4 whole CPUs.
  EXPECT_FLOAT_EQ(ScoreOf(zones, 4, true), 1);
  EXPECT_LT(ScoreOf(zones, 4, false), 0.5f);
  EXPECT_FLOAT_EQ(ScoreOf(zones, 3, false), 1);
}

}  // namespace
}  // namespace huygens::scoring
