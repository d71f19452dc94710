#include "usage/estimate.h"

#include <gtest/gtest.h>

#include "tests/cluster/build.h"
#include "tests/usage/objects.h"
#include "usage/curve.h"

namespace huygens::usage {
namespace {

using test::PodAsking;

// The cases of koordinator's default_estimator_test.go that go by its default factors.
TEST(EstimateOf, AgreesWithKoordinator) {
  const ResourceVector four = {{kCpu, 4000}, {kMemory, 8 * kGiB}};
  const ResourceVector eight = {{kCpu, 8000}, {kMemory, 8 * kGiB}};
  struct Case {
    std::string_view name;
    cluster::Pod pod;
    int64_t cpu, memory;
  };
  const Case kCases[] = {
      {"empty", PodAsking({}, {}), 250, 200 << 20},
      {"guaranteed", PodAsking(four), 3400, 6012954214},
      {"burstable", PodAsking(four, eight), 6800, 6012954214},
      {"requests alone", PodAsking(four, {}), 3400, 6012954214},
  };
  for (const Case& each : kCases) {
    EXPECT_EQ(EstimateOf(each.pod, kCpu), each.cpu) << each.name;
    EXPECT_EQ(EstimateOf(each.pod, kMemory), each.memory) << each.name;
  }
}

TEST(EstimateOf, KnowsNoDefaultForOtherResources) {
  EXPECT_EQ(EstimateOf(PodAsking({}, {}), kEphemeralStorage), 0);
  EXPECT_EQ(EstimateOf(PodAsking({{kEphemeralStorage, 1000}}, {}), kEphemeralStorage), 700);
}

TEST(EstimateOf, AddsContainersSidecarsAndOverheadButNoInitContainers) {
  cluster::Pod pod = PodAsking({{kCpu, 1000}}, {});
  pod.containers.push_back(pod.containers[0]);
  pod.containers[1].limits = {{kCpu, 3000}};
  pod.init_containers.resize(2);
  pod.init_containers[0].requests = {{kCpu, 64000}};
  pod.init_containers[1].requests = {{kCpu, 500}};
  pod.init_containers[1].restartable = true;
  pod.overhead = {{kCpu, 100}};
  EXPECT_EQ(EstimateOf(pod, kCpu), 3910);  // 0.85 * (1000 + 3000 + 500 + 100)
}

TEST(EstimateOf, PodLevelResourcesTakeThePlaceOfTheContainers) {
  cluster::Pod pod = PodAsking({{kCpu, 1000}, {kMemory, 1000}}, {});
  pod.pod_level = {.requests = {{kCpu, 2000}}, .limits = {{kCpu, 4000}}};
  EXPECT_EQ(EstimateOf(pod, kCpu), 3400);
  EXPECT_EQ(EstimateOf(pod, kMemory), 700);
}

TEST(EstimateOf, AbsurdAmountsStayWithinWhatSumsCanHold) {
  cluster::Pod pod = PodAsking({{kCpu, INT64_MAX}, {kMemory, -5}}, {});
  pod.overhead = {{kCpu, INT64_MAX}};
  EXPECT_EQ(EstimateOf(pod, kCpu), (kMostUse * 85 + 50) / 100);
  EXPECT_EQ(EstimateOf(pod, kMemory), 200 << 20);
  pod.containers.resize(10'000, pod.containers[0]);
  pod.init_containers = pod.containers;
  for (cluster::Container& sidecar : pod.init_containers) sidecar.restartable = true;
  EXPECT_EQ(EstimateOf(pod, kCpu), (kMostUse * 85 + 50) / 100) << "of many containers, too";
}

TEST(Estimate, TheMostThatAPodMayStateIsItsInverse) {
  for (const ResourceId resource : {kCpu, kMemory}) {
    const auto estimate = [&](int64_t stated) { return EstimateOf(PodAsking({{resource, stated}}, {}), resource); };
    for (const int64_t room : {1, 499, 500, 1500, 7900, 1 << 30}) {
      const int64_t most = MostStated(room, resource);
      EXPECT_LE(estimate(most), room);
      EXPECT_GT(estimate(most + 1), room);
    }
  }
}

}  // namespace
}  // namespace huygens::usage
