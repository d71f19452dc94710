#include "wire/pod_status.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "wire/pod.h"

namespace huygens::wire {
namespace {

using cluster::Pod;
using cluster::QosClass;

class PodStatusTest : public testing::Test {
 protected:
  Pod Decode(std::string_view json) {
    auto pod = DecodePod(json, names_);
    EXPECT_TRUE(pod.ok()) << pod.status();
    return pod.ok() ? *pod : Pod();
  }
  Pod WithStatus(std::string_view status) { return Decode(Concat(R"({"status":)", status, "}")); }
  ResourceNames names_;
};

TEST_F(PodStatusTest, NamesTheNodeThatPreemptionMadeRoomOn) {
  EXPECT_EQ(WithStatus(R"({"nominatedNodeName":"n1"})").nominated_node, "n1");
  EXPECT_EQ(WithStatus(R"({"nominatedNodeName":null})").nominated_node, "");
}

TEST_F(PodStatusTest, EachContainerGetsTheStatusOfItsName) {
  // The status may stand before the spec, and lists containers in an order of its own.
  Pod pod = Decode(
      R"({"status":{"containerStatuses":[)"
      R"({"name":"b","allocatedResources":{"cpu":"3"},"resources":{"requests":{"cpu":"2"},"limits":{"cpu":"4"}}},)"
      R"({"name":"a","resources":{"limits":{"cpu":"1"}}},{"name":"gone","resources":{"requests":{"cpu":"9"}}}],)"
      R"("initContainerStatuses":[{"name":"side","resources":{"requests":{"memory":"1Ki"}}}]},)"
      R"("spec":{"initContainers":[{"name":"side","restartPolicy":"Always"}],)"
      R"("containers":[{"name":"a"},{"name":"b"},{"name":"c"}]}})");
  ASSERT_TRUE(pod.containers.at(1).status.has_value());
  EXPECT_EQ(pod.containers[1].status->requests, (ResourceVector{{kCpu, 2000}}));
  EXPECT_EQ(pod.containers[1].status->limits, (ResourceVector{{kCpu, 4000}}));
  EXPECT_EQ(pod.containers[1].status->allocated, (ResourceVector{{kCpu, 3000}}));
  ASSERT_TRUE(pod.containers[0].status.has_value());
  EXPECT_EQ(pod.containers[0].status->limits, (ResourceVector{{kCpu, 1000}}));
  EXPECT_TRUE(pod.containers[0].status->requests.empty());
  EXPECT_FALSE(pod.containers[2].status.has_value());
  ASSERT_TRUE(pod.init_containers.at(0).status.has_value());
  EXPECT_EQ(pod.init_containers[0].status->requests, (ResourceVector{{kMemory, 1024}}));
}

TEST_F(PodStatusTest, AStatusThatRepeatsTheSpecIsLeftOut) {
  struct Case {
    const char* status;
    bool repeats;
  } cases[] = {
      {R"("resources":{"requests":{"cpu":"2"},"limits":{"cpu":"4"}})", true},
      {R"("resources":{"requests":{"cpu":"2"},"limits":{"cpu":"4"}},"allocatedResources":{"cpu":"2"})", true},
      {R"("resources":{"requests":{"cpu":"1"},"limits":{"cpu":"4"}},"allocatedResources":{"cpu":"2"})", true},
      {R"("resources":{"requests":{"cpu":"2"},"limits":{"cpu":"4"}},"allocatedResources":{"cpu":"3"})", false},
      {R"("resources":{"requests":{"cpu":"1"},"limits":{"cpu":"4"}},"allocatedResources":{"cpu":"1"})", false},
      {R"("resources":{"requests":{"cpu":"2"},"limits":{"cpu":"3"}})", false},
      {R"("resources":{"requests":{"cpu":"2","memory":"0"},"limits":{"cpu":"4"}})", false},
      {R"("resources":{})", false},
  };
  for (const Case& each : cases) {
    Pod pod = Decode(
        Concat(R"({"spec":{"containers":[{"name":"a","resources":{"requests":{"cpu":"2"},"limits":{"cpu":"4"}}}]},)",
               R"("status":{"containerStatuses":[{"name":"a",)", each.status, "}]}}"));
    EXPECT_EQ(pod.containers.at(0).status.has_value(), !each.repeats) << each.status;
  }
}

TEST_F(PodStatusTest, AnAllocationWithoutResourcesIsNoStatus) {
  Pod pod = Decode(R"({"spec":{"containers":[{"name":"a"},{"name":"b"}]},"status":{"containerStatuses":[)"
                   R"({"name":"a","allocatedResources":{"cpu":"3"}},{"name":"b","resources":null}]}})");
  EXPECT_FALSE(pod.containers.at(0).status.has_value());
  EXPECT_FALSE(pod.containers.at(1).status.has_value());
}

TEST_F(PodStatusTest, ThePodLevel) {
  Pod pod = WithStatus(R"({"resources":{"requests":{"cpu":"2"}},"allocatedResources":{"cpu":"1"}})");
  ASSERT_TRUE(pod.pod_level_status.has_value());
  EXPECT_EQ(pod.pod_level_status->requests, (ResourceVector{{kCpu, 2000}}));
  EXPECT_EQ(pod.pod_level_allocated, (ResourceVector{{kCpu, 1000}}));
  EXPECT_FALSE(WithStatus(R"({"resources":null})").pod_level_status.has_value());
}

TEST_F(PodStatusTest, PodLevelNamesThatKubernetesDoesNotHaveAreDropped) {
  Pod pod = Decode(R"({"spec":{"resources":{"requests":{"cpu":"1","ephemeral-storage":"1","hugepages-2Mi":"4Mi"},)"
                   R"("limits":{"example.com/gpu":"1"}}}})");
  ASSERT_TRUE(pod.pod_level.has_value());
  EXPECT_EQ(pod.pod_level->requests, (ResourceVector{{kCpu, 1000}, {*names_.Find("hugepages-2Mi"), 4 << 20}}));
  EXPECT_TRUE(pod.pod_level->limits.empty());
}

TEST_F(PodStatusTest, TheFirstConditionOfAPendingResizeCounts) {
  auto infeasible = [&](std::string_view conditions) {
    return WithStatus(Concat(R"({"conditions":)", conditions, "}")).resize_infeasible;
  };
  EXPECT_TRUE(
      infeasible(R"([null,{"type":"Ready"},{"type":"PodResizePending","reason":"Infeasible","status":"False"}])"));
  EXPECT_FALSE(infeasible(
      R"([{"type":"PodResizePending","reason":"Deferred"},{"type":"PodResizePending","reason":"Infeasible"}])"));
  EXPECT_FALSE(infeasible(R"([{"type":"PodResizeInProgress","reason":"Infeasible"}])"));
  EXPECT_FALSE(infeasible("null"));
}

TEST_F(PodStatusTest, QosClass) {
  EXPECT_EQ(WithStatus(R"({"qosClass":"Guaranteed"})").qos_class, QosClass::kGuaranteed);
  EXPECT_EQ(WithStatus(R"({"qosClass":"Burstable"})").qos_class, QosClass::kBurstable);
  EXPECT_EQ(WithStatus(R"({"qosClass":"BestEffort"})").qos_class, QosClass::kBestEffort);
  for (std::string_view other : {R"("")", R"("guaranteed")", "null"}) {
    EXPECT_FALSE(WithStatus(Concat(R"({"qosClass":)", other, "}")).qos_class.has_value()) << other;
  }
}

TEST_F(PodStatusTest, StartTime) {
  Pod pod = WithStatus(R"({"startTime":"2026-11-21T11:36:17Z"})");
  ASSERT_TRUE(pod.start_time.has_value());
  EXPECT_EQ(FormatRfc3339(*pod.start_time), "2026-11-21T11:36:17Z");
  EXPECT_FALSE(WithStatus(R"({"startTime":null})").start_time.has_value());
  EXPECT_THAT(std::string(Message(DecodePod(R"({"status":{"startTime":"noon"}})", names_).status())),
              testing::StartsWith("status.startTime: "));
}

TEST_F(PodStatusTest, WhetherThePodPreempts) {
  EXPECT_TRUE(Decode("{}").preempts);
  EXPECT_TRUE(Decode(R"({"spec":{"preemptionPolicy":"PreemptLowerPriority"}})").preempts);
  EXPECT_TRUE(Decode(R"({"spec":{"preemptionPolicy":null}})").preempts);
  EXPECT_FALSE(Decode(R"({"spec":{"preemptionPolicy":"Never"}})").preempts);
}

TEST_F(PodStatusTest, SmtIsOneOfThreeWords) {
  auto smt = [&](std::string_view value) {
    return Decode(Concat(R"({"metadata":{"annotations":{"huygens.dev/smt":)", value, "}}}")).smt;
  };
  EXPECT_EQ(smt(R"("spread")"), cluster::Smt::kSpread);
  EXPECT_EQ(smt(R"("pack")"), cluster::Smt::kPack);
  EXPECT_EQ(smt(R"("isolate")"), cluster::Smt::kIsolate);
  for (std::string_view other : {R"("")", R"("Spread")", "null"}) EXPECT_EQ(smt(other), cluster::Smt::kUnset) << other;
}

}  // namespace
}  // namespace huygens::wire
