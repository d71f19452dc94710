#include "cluster/pod_requests.h"

#include <gtest/gtest.h>

namespace huygens::cluster {
namespace {

Container Cpu(int64_t milli, bool sidecar = false) {
  return {.name = "c", .requests = {{kCpu, milli}}, .restartable = sidecar};
}
Container Resizing(int64_t asked, int64_t in_force, int64_t promised, bool sidecar = false) {
  Container container = Cpu(asked, sidecar);
  container.status = ContainerStatus{{{kCpu, in_force}}, {}, {{kCpu, promised}}};
  return container;
}

TEST(PodRequests, InitContainersRunBesideTheSidecarsBeforeThem) {
  struct Case {
    const char* what;
    std::vector<Container> init, app;
    int64_t cpu;
  } cases[] = {
      {"sum of containers", {}, {Cpu(100), Cpu(200)}, 300},
      {"a larger init container", {Cpu(500), Cpu(400)}, {Cpu(100)}, 500},
      {"a smaller one", {Cpu(50)}, {Cpu(100)}, 100},
      {"sidecars stay", {Cpu(30, true)}, {Cpu(100)}, 130},
      {"init after a sidecar", {Cpu(300, true), Cpu(500)}, {Cpu(100)}, 800},
      {"init before a sidecar", {Cpu(500), Cpu(300, true)}, {Cpu(100)}, 500},
      {"two sidecars around an init", {Cpu(10, true), Cpu(200), Cpu(20, true)}, {Cpu(100)}, 210},
      {"nothing", {}, {}, 0},
  };
  for (const Case& each : cases) {
    Pod pod;
    pod.init_containers = each.init;
    pod.containers = each.app;
    EXPECT_EQ(PodRequests(pod).Get(kCpu), each.cpu) << each.what;
  }
}

TEST(PodRequests, PodLevelReplacesAndOverheadAdds) {
  Pod pod;
  pod.containers = {{.name = "c", .requests = {{kCpu, 4000}, {kMemory, 10}, {kEphemeralStorage, 5}}}};
  pod.overhead = {{kCpu, 100}};
  pod.pod_level = PodResources{{{kCpu, 1000}}, {}};
  EXPECT_EQ(PodRequests(pod), (ResourceVector{{kCpu, 1100}, {kMemory, 10}, {kEphemeralStorage, 5}}));
}

TEST(PodRequests, ARequestOfZeroStays) {
  Pod pod;
  pod.containers = {{.name = "c", .requests = {{kCpu, 0}}}};
  pod.init_containers = {{.name = "i", .requests = {{kMemory, 0}}}};
  EXPECT_EQ(PodRequests(pod), (ResourceVector{{kCpu, 0}, {kMemory, 0}}));
  EXPECT_EQ(PlacedPodRequests(pod), (ResourceVector{{kCpu, 0}, {kMemory, 0}}));
}

TEST(PodRequests, AResizeCountsWithTheLargestOfItsFigures) {
  struct Case {
    const char* what;
    int64_t asked, in_force, promised;
    bool infeasible;
    int64_t placed;
  } cases[] = {
      {"growing, not yet promised", 3000, 1000, 1000, false, 3000},
      {"growing, promised, not in force", 3000, 1000, 3000, false, 3000},
      {"shrinking, still in force", 1000, 3000, 1000, false, 3000},
      {"shrinking, still promised", 1000, 1000, 2000, false, 2000},
      {"cannot grow", 9000, 1000, 2000, true, 2000},
      {"done", 1000, 1000, 1000, false, 1000},
  };
  for (const Case& each : cases) {
    Pod pod;
    pod.resize_infeasible = each.infeasible;
    pod.containers = {Resizing(each.asked, each.in_force, each.promised), Cpu(50)};
    EXPECT_EQ(PlacedPodRequests(pod).Get(kCpu), each.placed + 50) << each.what;
    EXPECT_EQ(PodRequests(pod).Get(kCpu), each.asked + 50) << each.what;
    pod.containers = {Cpu(50)};
    pod.init_containers = {Resizing(each.asked, each.in_force, each.promised, /*sidecar=*/true)};
    EXPECT_EQ(PlacedPodRequests(pod).Get(kCpu), each.placed + 50) << each.what << ", a sidecar";
  }
}

TEST(PodRequests, AnInitContainerIsNeverResized) {
  Pod pod;
  pod.init_containers = {Resizing(500, 4000, 4000)};
  EXPECT_EQ(PlacedPodRequests(pod).Get(kCpu), 500);
}

TEST(PodRequests, AtPodLevelOnlyWhatTheSpecNamesIsResized) {
  Pod pod;
  pod.containers = {Cpu(100)};
  pod.pod_level = PodResources{{{kCpu, 2000}}, {}};
  pod.pod_level_allocated = {{kCpu, 9000}};
  EXPECT_EQ(PlacedPodRequests(pod), (ResourceVector{{kCpu, 2000}})) << "nothing is reported";
  pod.pod_level_allocated = {{kCpu, 2500}};
  pod.pod_level_status = PodResources{{{kCpu, 3000}, {kMemory, 7}}, {}};
  EXPECT_EQ(PlacedPodRequests(pod), (ResourceVector{{kCpu, 3000}}));
  pod.pod_level->requests = {{kCpu, 8000}};
  EXPECT_EQ(PlacedPodRequests(pod), (ResourceVector{{kCpu, 8000}}));
  pod.resize_infeasible = true;
  EXPECT_EQ(PlacedPodRequests(pod), (ResourceVector{{kCpu, 3000}}));
}

TEST(Qos, FollowsFromCpuAndMemoryOfAllContainers) {
  const ResourceVector both = {{kCpu, 1000}, {kMemory, 10}};
  auto container = [](ResourceVector requests, ResourceVector limits) {
    return Container{.name = "c", .requests = std::move(requests), .limits = std::move(limits)};
  };
  struct Case {
    const char* what;
    std::vector<Container> init, app;
    QosClass qos;
  } cases[] = {
      {"nothing", {}, {container({}, {})}, QosClass::kBestEffort},
      {"zeros are nothing", {}, {container({{kCpu, 0}}, {{kMemory, 0}})}, QosClass::kBestEffort},
      {"other resources make no class", {}, {container({{99, 1}}, {{99, 1}})}, QosClass::kBestEffort},
      {"requests are limits", {}, {container(both, both)}, QosClass::kGuaranteed},
      {"no memory limit", {}, {container({{kCpu, 1000}}, {{kCpu, 1000}})}, QosClass::kBurstable},
      {"one container without", {}, {container(both, both), container({}, {})}, QosClass::kBurstable},
      {"an init container without", {container({}, {})}, {container(both, both)}, QosClass::kBurstable},
      {"limits above requests", {}, {container({{kCpu, 500}, {kMemory, 10}}, both)}, QosClass::kBurstable},
      {"limits without requests", {}, {container({}, both)}, QosClass::kBurstable},
  };
  for (const Case& each : cases) {
    Pod pod;
    pod.init_containers = each.init;
    pod.containers = each.app;
    EXPECT_EQ(ComputeQos(pod), each.qos) << each.what;
  }
}

TEST(Qos, ThePodLevelAloneDecidesWhereItIsPresent) {
  const ResourceVector both = {{kCpu, 1000}, {kMemory, 10}};
  Pod pod;
  pod.containers = {{.name = "c", .requests = both, .limits = both}};
  pod.pod_level.emplace();
  EXPECT_EQ(ComputeQos(pod), QosClass::kBestEffort);
  pod.pod_level = PodResources{both, both};
  EXPECT_EQ(ComputeQos(pod), QosClass::kGuaranteed);
  pod.pod_level->limits = {{kCpu, 1000}};
  EXPECT_EQ(ComputeQos(pod), QosClass::kBurstable);
}

TEST(Qos, WhatTheApiServerRecordedIsTheClass) {
  Pod pod;
  EXPECT_EQ(QosOf(pod), QosClass::kBestEffort);
  pod.qos_class = QosClass::kGuaranteed;
  EXPECT_EQ(QosOf(pod), QosClass::kGuaranteed);
}

}  // namespace
}  // namespace huygens::cluster
