// What the annotations of pods claim of zones, and what of it counts.
#include <gtest/gtest.h>

#include "tests/base/clock.h"
#include "tests/topology/placed_pod.h"
#include "topology/zone_account.h"

namespace huygens::topology {
namespace {

using huygens::test::kNow;

TEST(ZoneAccountClaims, AbsurdClaimsNeitherOverflowNorFreeAnything) {
  ZoneAccount account({});
  cluster::NodeTopology topology;
  topology.pinned_by_agent = true;
  topology.zones = {{.id = 0, .name = "node0", .allocatable = {{kCpu, 4000}}}};
  account.NodeChanged(0, &topology);
  const auto huge = test::HoldingPod({{0, {{kCpu, INT64_MAX}}}, {0, {{kCpu, INT64_MAX}}}});
  const auto negative = test::HoldingPod({{0, {{kCpu, -5000}}}});
  const auto real = test::HoldingPod({{0, {{kCpu, 1000}}}});
  account.Place(real);
  account.Place(negative);
  EXPECT_EQ(account.Figures(0, kNow)[0].free[0], 3000);
  for (int i = 0; i < 1000; ++i) account.Place(huge);
  EXPECT_EQ(account.Figures(0, kNow)[0].free[0], 0);
  for (int i = 0; i < 1000; ++i) account.Leave(huge);
  EXPECT_EQ(account.Figures(0, kNow)[0].free[0], 3000);
}

// What is charged to zones 0 and 1 of a pod that claims so many milli-CPUs of them.
std::pair<int64_t, int64_t> Charged(const cluster::Pod& pod, int64_t zone0, int64_t zone1) {
  ZoneAccount account({});
  account.Place({std::make_shared<cluster::Pod>(pod), 0, {{0, {{kCpu, zone0}}}, {1, {{kCpu, zone1}}}}});
  const auto figures = account.Figures(0, kNow);
  return {figures.at(0).used[0], figures.size() > 1 ? figures[1].used[0] : 0};
}

TEST(ZoneAccountClaims, AClaimCountsForNoMoreThanThePodRequestsAndACpu) {
  cluster::Pod pod;
  pod.containers.resize(2);
  pod.containers[0].requests = pod.containers[0].limits = {{kCpu, 3000}};
  pod.containers[1].requests = {{kCpu, 500}};
  EXPECT_EQ(Charged(pod, 1000, 2000), std::pair(1000L, 2000L));
  EXPECT_EQ(Charged(pod, 1500, 2000), std::pair(1500L, 2000L));
  EXPECT_EQ(Charged(pod, 1000, 1200), std::pair(1000L, 1200L)) << "crane may assign in part";
  EXPECT_EQ(Charged(pod, 2000, 2500), std::pair(2000L, 2500L)) << "or a little more";
  EXPECT_EQ(Charged(pod, 9000, 9000), std::pair(4500L, 0L)) << "a pod cannot block zones";
  EXPECT_EQ(Charged(pod, 2000, 9000), std::pair(2000L, 2500L));
}

}  // namespace
}  // namespace huygens::topology
