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

Pod PodLevel(ResourceVector requests, ResourceVector limits) {
  Pod pod;
  pod.containers = {Of({}, {})};
  pod.pod_level = cluster::PodResources{std::move(requests), std::move(limits)};
  return pod;
}

TEST(ZoneRequest, PodLevelResourcesTakePartWhereNoContainerDoes) {
  Pod pod = PodLevel({{kCpu, 4000}, {kMemory, 7}}, {{kCpu, 4000}});
  pod.smt = cluster::Smt::kSpread;
  pod.topology_awareness = true;
  const ZoneRequest request = RequestOf(pod, kCpuAndMemory);
  EXPECT_EQ(request.amounts, Amounts({4000, 7}));
  EXPECT_EQ(request.largest_cpu, 4000);
  EXPECT_TRUE(request.RequiresTopology());
  EXPECT_TRUE(RequestOf(PodLevel({{kCpu, 4000}}, {{kCpu, 5000}}), kCpuOnly).AsksNothing()) << "the limit differs";
  EXPECT_TRUE(RequestOf(PodLevel({{kCpu, 4500}}, {{kCpu, 4500}}), kCpuOnly).AsksNothing()) << "a fraction";
  pod.containers.push_back(Whole(3));
  EXPECT_EQ(RequestOf(pod, kCpuOnly).amounts, Amounts({3000})) << "the container's own CPUs, as crane has it";
}

TEST(ZoneRequest, PlacedAmountsAreTheMostOfSpecStatusAndPromise) {
  struct Case {
    const char* what;
    int64_t spec, in_force, promised;
    bool infeasible;
    int64_t amount;
  } cases[] = {
      {"no resize", 4000, 4000, 4000, false, 4000}, {"asked, not carried out", 6000, 4000, 4000, false, 6000},
      {"promised", 4000, 4000, 5000, false, 5000},  {"shrinks, not carried out", 2000, 4000, 2000, false, 4000},
      {"infeasible", 8000, 4000, 4000, true, 4000},
  };
  for (const Case& each : cases) {
    Pod pod;
    pod.containers = {Whole(1), Of({{kCpu, each.spec}}, {{kCpu, each.spec}}), Of({{kCpu, 500}}, {})};
    pod.containers[1].status = cluster::ContainerStatus{{{kCpu, each.in_force}}, {}, {{kCpu, each.promised}}};
    pod.resize_infeasible = each.infeasible;
    EXPECT_EQ(PlacedAmounts(pod, kCpuOnly), Amounts({1000 + each.amount})) << each.what;

    Pod whole = PodLevel({{kCpu, each.spec}}, {{kCpu, each.spec}});
    whole.overhead = {{kCpu, 250}};
    whole.pod_level_status = cluster::PodResources{{{kCpu, each.in_force}}, {}};
    whole.pod_level_allocated = {{kCpu, each.promised}};
    whole.resize_infeasible = each.infeasible;
    EXPECT_EQ(PlacedAmounts(whole, kCpuOnly), Amounts({each.amount})) << each.what << ", at pod level";
  }
  EXPECT_TRUE(PlacedAmounts(PodLevel({}, {}), kCpuOnly).empty());
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
