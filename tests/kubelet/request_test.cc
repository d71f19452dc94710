#include "kubelet/request.h"

#include <gtest/gtest.h>

#include "kubelet/admission.h"
#include "tests/cluster/build.h"

namespace huygens::kubelet {
namespace {

constexpr ResourceId kHugepages = 10, kGpu = 50;

using huygens::test::PodAsking;

TEST(Request, OfDevicesInTheNumberOfZeroAsksButHoldsNothing) {
  const Request request = RequestOf(PodAsking({{kCpu, 500}}, {{kGpu, 0}}));
  EXPECT_FALSE(request.asks_nothing);
  EXPECT_TRUE(request.holds_nothing);
  EXPECT_FALSE(request.plain);
  EXPECT_TRUE(request.pod.devices.Has(kGpu));
  EXPECT_FALSE(RequestOf(PodAsking({}, {{kGpu, 1}})).holds_nothing);
}

TEST(Request, OfASharedPodAsksNothing) {
  for (const ResourceVector& limits : {ResourceVector{}, ResourceVector{{kCpu, 4000}, {kHugepages, 2}}}) {
    const Request request = RequestOf(PodAsking({{kCpu, 500}}, limits));
    EXPECT_TRUE(request.asks_nothing);
    EXPECT_TRUE(request.holds_nothing);
  }
}

TEST(Request, OfAGuaranteedPodIsPlainWithoutDevices) {
  const ResourceVector amounts{{kCpu, 2000}, {kMemory, 7}};
  const Request request = RequestOf(PodAsking(amounts));
  EXPECT_TRUE(request.plain);
  EXPECT_FALSE(request.asks_nothing);
  EXPECT_FALSE(request.holds_nothing);
}

// kubelet 1.36.3: hints for 0 devices prefer any one zone that has some; no healthy device at all is an error.
TEST(Request, OfNoDevicesIsRefusedWhereKubeletRefusesIt) {
  Machine machine;
  machine.options = {.policy = TopologyManagerPolicy::kRestricted, .static_cpus = true};
  for (int id : {0, 1}) {
    machine.zones.push_back(
        {.id = id, .cpu_capacity = 8, .cpu_allocatable = 8, .cpu_free = 8, .memory_group = ZoneBit(id)});
  }
  machine.devices.push_back({.resource = kGpu, .healthy = 2, .groups = {{0b01, 1, 1}, {0b10, 1, 1}}});
  const ResourceVector amounts{{kCpu, 12'000}, {kMemory, 7}, {kGpu, 0}};
  const Pod wide = RequestOf(PodAsking(amounts)).pod;
  EXPECT_EQ(Predict(machine, wide).admission, Admission::kTopologyAffinityError) << "two zones of CPUs, one of GPUs";
  const Pod shared = RequestOf(PodAsking({{kCpu, 500}}, {{kGpu, 0}})).pod;
  EXPECT_TRUE(Predict(machine, shared).Admitted());
  machine.devices[0].healthy = 0;
  EXPECT_EQ(Predict(machine, shared).admission, Admission::kUnexpectedAdmissionError);
}

}  // namespace
}  // namespace huygens::kubelet
