#include "placement/node_fit.h"

#include <gtest/gtest.h>

namespace huygens::placement {
namespace {

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

TEST(NodeFit, APodTakesASlot) {
  EXPECT_EQ(RequestsOf(cluster::Pod()), (ResourceVector{{kPodSlots, 1}}));
  EXPECT_EQ(PlacedRequestsOf(cluster::Pod()), (ResourceVector{{kPodSlots, 1}}));
}

TEST(NodeFit, OnlyAPodOnItsNodeCountsWhatItStillHolds) {
  cluster::Pod pod;
  pod.containers = {{.name = "shrinks", .requests = {{kCpu, 1000}}}};
  pod.containers[0].status = cluster::ContainerStatus{{{kCpu, 3000}}, {}, {{kCpu, 2000}}};
  EXPECT_EQ(RequestsOf(pod), (ResourceVector{{kCpu, 1000}, {kPodSlots, 1}}));
  EXPECT_EQ(PlacedRequestsOf(pod), (ResourceVector{{kCpu, 3000}, {kPodSlots, 1}}));
}

}  // namespace
}  // namespace huygens::placement
