#include "device_plugins/waiting_pods.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"

namespace huygens::device_plugins {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<WaitingPod> Waiting(std::string_view list) {
  const auto pods = DecodeWaitingPods(list, "example.com/fpga");
  EXPECT_TRUE(pods.ok()) << pods.status();
  return pods.ok() ? *pods : std::vector<WaitingPod>();
}

TEST(WaitingPods, TellsZonesAndCountsOfWhatHasNotBegun) {
  const std::vector<WaitingPod> pods = Waiting(R"({"kind":"PodList","items":[
    {"metadata":{"annotations":{"kubernetes.io/config.seen":"2026-11-21T10:00:00.5Z",
       "topology.crane.io/topology-result":"[{\"name\":\"node1\",\"type\":\"Node\",\"resources\":{\"capacity\":{\"cpu\":\"2\"}}},{\"name\":\"node3\",\"type\":\"Node\"},{\"name\":\"s0\",\"type\":\"Socket\"}]"}},
     "spec":{"initContainers":[{"name":"i","resources":{"limits":{"example.com/fpga":"1"}}}],
             "containers":[{"name":"a","resources":{"limits":{"cpu":"2","example.com/fpga":"2"}}},{"name":"b"}]},
     "status":{"phase":"Pending","containerStatuses":[{"state":{"waiting":{"reason":"ContainerCreating"}}}]}},
    {"metadata":{},"spec":{"containers":[{"resources":{"limits":{"cpu":"1"}}}]},"status":{"phase":"Pending"}}]})");
  ASSERT_EQ(pods.size(), 1U);
  EXPECT_THAT(pods[0].zones, ElementsAre(1, 3));
  EXPECT_THAT(pods[0].counts, ElementsAre(1, 2));
  EXPECT_EQ(pods[0].seen, "2026-11-21T10:00:00.5Z");
}

TEST(WaitingPods, LeavesOutWhatHoldsItsDevicesAlready) {
  constexpr std::string_view kAsking = R"("spec":{"containers":[{"resources":{"limits":{"example.com/fpga":"2"}}}]})";
  for (const char* rest :
       {R"("metadata":{},"status":{"phase":"Running"})", R"("metadata":{},"status":{"phase":"Failed"})",
        R"("metadata":{"deletionTimestamp":"2026-11-21T10:00:00Z"},"status":{"phase":"Pending"})",
        R"("metadata":{},"status":{"phase":"Pending","containerStatuses":[{"state":{"running":{}}}]})",
        R"("metadata":{},"status":{"phase":"Pending","initContainerStatuses":[{"state":{"terminated":{}}}]})"}) {
    EXPECT_THAT(Waiting(Concat("{\"items\":[{", kAsking, ",", rest, "}]}")), IsEmpty()) << rest;
  }
  EXPECT_EQ(Waiting(Concat("{\"items\":[{", kAsking, ",\"metadata\":{}}]}")).size(), 1U);
}

TEST(WaitingPods, TakesNoZonesFromWhatIsNoResult) {
  for (const char* result : {"", "{}", "rubbish", R"([{\"name\":7}])", R"([{\"name\":\"node-1\",\"type\":\"Node\"}])",
                             R"([{\"name\":\"node99999999999\",\"type\":\"Node\"}])", R"([{\"name\":\"node1\"}])"}) {
    const std::vector<WaitingPod> pods =
        Waiting(Concat(R"({"items":[{"metadata":{"annotations":{"topology.crane.io/topology-result":")", result,
                       R"("}},"spec":{"containers":[{"resources":{"limits":{"example.com/fpga":"2"}}}]}}]})"));
    ASSERT_EQ(pods.size(), 1U);
    EXPECT_THAT(pods[0].zones, IsEmpty()) << result;
  }
}

TEST(WaitingPods, RefusesWhatIsNoList) {
  for (const char* text : {"", "[]", "{\"items\":7}", "{\"items\":[7]}"}) {
    EXPECT_FALSE(DecodeWaitingPods(text, "a.b/c").ok()) << text;
  }
  EXPECT_THAT(Waiting("{}"), IsEmpty());
}

}  // namespace
}  // namespace huygens::device_plugins
