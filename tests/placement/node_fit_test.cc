#include "placement/node_fit.h"

#include <gtest/gtest.h>

#include "cluster/pod_requests.h"

namespace huygens::placement {
namespace {

cluster::Container Cpu(int64_t milli, bool sidecar = false) { return {"c", {{kCpu, milli}}, {}, sidecar}; }

TEST(PodRequests, InitContainersRunBesideTheSidecarsBeforeThem) {
  struct Case {
    const char* what;
    std::vector<cluster::Container> init, app;
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
    cluster::Pod pod;
    pod.init_containers = each.init;
    pod.containers = each.app;
    EXPECT_EQ(cluster::PodRequests(pod).Get(kCpu), each.cpu) << each.what;
  }
}

TEST(PodRequests, PodLevelReplacesAndOverheadAdds) {
  cluster::Pod pod;
  pod.containers = {{"c", {{kCpu, 4000}, {kMemory, 10}, {kEphemeralStorage, 5}}, {}, false}};
  pod.overhead = {{kCpu, 100}};
  pod.pod_level = cluster::PodResources{{{kCpu, 1000}, {kEphemeralStorage, 99}}, {}};
  EXPECT_EQ(cluster::PodRequests(pod), (ResourceVector{{kCpu, 1100}, {kMemory, 10}, {kEphemeralStorage, 5}}));
}

TEST(NodeFit, NamesWhatIsLacking) {
  const ResourceVector allocatable = {{kCpu, 4000}, {kMemory, 100}, {kPodSlots, 2}};
  struct Case {
    const char* what;
    ResourceVector requests, used;
    std::vector<ResourceId> lacking;
  } cases[] = {
      {"fits exactly", {{kCpu, 3000}}, {{kCpu, 1000}}, {}},
      {"one milli too much", {{kCpu, 3001}}, {{kCpu, 1000}}, {kCpu}},
      {"two resources", {{kCpu, 9000}, {kMemory, 101}}, {}, {kCpu, kMemory}},
      {"a resource the node does not have", {{77, 1}}, {}, {77}},
      {"none of it asked", {{77, 0}}, {}, {}},
      {"what others overuse does not matter to who asks nothing of it", {{kMemory, 1}}, {{kCpu, 99999}}, {}},
      {"no slot left", {{kPodSlots, 1}}, {{kPodSlots, 2}}, {kPodSlots}},
      {"no overflow", {{kCpu, INT64_MAX}}, {{kCpu, INT64_MAX}}, {kCpu}},
  };
  for (const Case& each : cases) EXPECT_EQ(Lacking(each.requests, allocatable, each.used), each.lacking) << each.what;
}

TEST(NodeFit, APodTakesASlot) { EXPECT_EQ(RequestsOf(cluster::Pod()), (ResourceVector{{kPodSlots, 1}})); }

}  // namespace
}  // namespace huygens::placement
