#include "topology/zone_request.h"

#include <gtest/gtest.h>

namespace huygens::topology {
namespace {

using cluster::Container;
using cluster::CpuPolicy;
using cluster::Pod;

const std::vector<ResourceId> kCpuOnly = {kCpu};
const std::vector<ResourceId> kCpuAndMemory = {kCpu, kMemory};

Container Of(ResourceVector requests, ResourceVector limits) {
  return {"c", std::move(requests), std::move(limits), false};
}
Container Whole(int64_t cpus) { return Of({{kCpu, cpus * 1000}}, {{kCpu, cpus * 1000}}); }

TEST(ZoneRequest, TargetsHaveAWholeCpuRequestThatIsTheLimit) {
  struct Case {
    const char* what;
    Container container;
    bool target;
  } cases[] = {
      {"whole and equal", Whole(2), true},
      {"fraction", Of({{kCpu, 2500}}, {{kCpu, 2500}}), false},
      {"limit above request", Of({{kCpu, 2000}}, {{kCpu, 3000}}), false},
      {"no limit", Of({{kCpu, 2000}}, {}), false},
      {"no request", Of({}, {{kCpu, 2000}}), false},
      {"zero", Of({{kCpu, 0}}, {{kCpu, 0}}), false},
      {"negative", Of({{kCpu, -1000}}, {{kCpu, -1000}}), false},
      {"nothing", Of({}, {}), false},
      {"memory differs", Of({{kCpu, 1000}, {kMemory, 1}}, {{kCpu, 1000}, {kMemory, 2}}), true},
  };
  for (const Case& each : cases) EXPECT_EQ(IsTarget(each.container), each.target) << each.what;
}

TEST(ZoneRequest, SumsTargetContainersOnly) {
  Pod pod;
  pod.containers = {Whole(2), Of({{kCpu, 1500}}, {{kCpu, 1500}}), Whole(3)};
  pod.init_containers = {Whole(16)};
  pod.init_containers.push_back(Whole(8));
  pod.init_containers.back().restartable = true;
  pod.overhead = {{kCpu, 1000}};
  EXPECT_EQ(RequestOf(pod, kCpuOnly).amounts, Amounts({5000}));
}

TEST(ZoneRequest, ChargesEachManagedResourceOfTargets) {
  Pod pod;
  pod.containers = {Of({{kCpu, 1000}, {kMemory, 7}}, {{kCpu, 1000}}), Of({{kMemory, 100}}, {}), Whole(1)};
  EXPECT_EQ(RequestOf(pod, kCpuAndMemory).amounts, Amounts({2000, 7}));
}

TEST(ZoneRequest, AsksNothingWithoutReason) {
  Pod pod;
  pod.containers = {Whole(2)};
  pod.topology_awareness = true;
  EXPECT_FALSE(RequestOf(pod, kCpuOnly).AsksNothing());
  EXPECT_TRUE(RequestOf(pod, kCpuOnly).RequiresTopology());

  Pod daemon = pod;
  daemon.owned_by_daemon_set = true;
  EXPECT_TRUE(RequestOf(daemon, kCpuOnly).AsksNothing());
  EXPECT_FALSE(RequestOf(daemon, kCpuOnly).RequiresTopology());

  Pod unbound = pod;
  unbound.cpu_policy = CpuPolicy::kNone;
  EXPECT_TRUE(RequestOf(unbound, kCpuOnly).AsksNothing());

  Pod shared = pod;
  shared.containers = {Of({{kCpu, 500}}, {{kCpu, 500}})};
  EXPECT_TRUE(RequestOf(shared, kCpuOnly).AsksNothing());
  EXPECT_TRUE(RequestOf(Pod(), kCpuOnly).AsksNothing());

  EXPECT_TRUE(RequestOf(pod, std::vector<ResourceId>{kMemory}).AsksNothing());
}

TEST(ZoneRequest, EveryOtherPolicyAsks) {
  for (CpuPolicy policy : {CpuPolicy::kUnset, CpuPolicy::kExclusive, CpuPolicy::kNuma, CpuPolicy::kImmovable}) {
    Pod pod;
    pod.containers = {Whole(1)};
    pod.cpu_policy = policy;
    EXPECT_FALSE(RequestOf(pod, kCpuOnly).AsksNothing());
  }
}

TEST(ZoneRequest, AwarenessIsThePodsWordOrUnset) {
  Pod pod;
  pod.containers = {Whole(1)};
  EXPECT_EQ(RequestOf(pod, kCpuOnly).aware, std::nullopt);
  EXPECT_FALSE(RequestOf(pod, kCpuOnly).RequiresTopology());
  pod.topology_awareness = false;
  EXPECT_EQ(RequestOf(pod, kCpuOnly).aware, false);
  EXPECT_FALSE(RequestOf(pod, kCpuOnly).RequiresTopology());
}

TEST(ZoneRequest, AnSmtPolicyComesWithTheLargestContainerAndRequiresTopology) {
  Pod pod;
  pod.containers = {Whole(2), Whole(5), Of({{kCpu, 9500}}, {{kCpu, 9500}}), Whole(3)};
  EXPECT_EQ(RequestOf(pod, kCpuOnly).smt, cluster::Smt::kUnset);
  pod.smt = cluster::Smt::kSpread;
  ZoneRequest request = RequestOf(pod, kCpuOnly);
  EXPECT_EQ(request.smt, cluster::Smt::kSpread);
  EXPECT_EQ(request.largest_cpu, 5000);
  EXPECT_TRUE(request.RequiresTopology());
  pod.containers = {Of({{kCpu, 500}}, {{kCpu, 500}})};
  EXPECT_FALSE(RequestOf(pod, kCpuOnly).RequiresTopology());
}

TEST(ZoneRequest, HugeSumsDoNotOverflow) {
  Pod pod;
  constexpr int64_t kHuge = INT64_MAX / 1000 * 1000;
  pod.containers.assign(3, Of({{kCpu, kHuge}}, {{kCpu, kHuge}}));
  EXPECT_EQ(RequestOf(pod, kCpuOnly).amounts, Amounts({INT64_MAX}));
}

}  // namespace
}  // namespace huygens::topology
