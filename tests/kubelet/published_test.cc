// Rules of kubelet that decide what a topology object and a Node let know of a machine; one test for each.
#include "kubelet/published.h"

#include <gtest/gtest.h>

#include <deque>

#include "kubelet/account.h"
#include "kubelet/settings.h"
#include "tests/kubelet/node.h"

namespace huygens::kubelet {
namespace {

using test::Gi;
using test::GuaranteedPod;

constexpr NodeIndex kNode = 0;
constexpr ResourceId kGpu = 50;

class KubeletPublished : public testing::Test {
 protected:
  Prediction Ask(const cluster::Pod& pod) {
    account_.NodeObjectChanged(kNode, &node_);
    account_.NodeChanged(kNode, &published_.emplace_back(object_));
    return account_.Predict(kNode, RequestOf(pod));
  }
  void Say(const std::string& name, const std::string& value) { object_.attributes.emplace_back(name, value); }
  std::vector<int> ZonesInUse() {
    Ask(*GuaranteedPod("p", {{1, 1}}));
    std::vector<int> in_use;
    for (const Zone& zone : account_.Free(kNode).zones) {
      if (zone.memory_blocks > 0) in_use.push_back(zone.id);
    }
    return in_use;
  }

  std::deque<cluster::NodeTopology> published_;  // the account tells them apart by where they are
  cluster::Node node_;
  cluster::NodeTopology object_ = test::Object({{8, 16}, {8, 16}, {8, 16}}, "best-effort");
  Account account_{Defaults()};
};

// pkg/kubelet/cm/memorymanager/policy_static.go, updateMachineState: a block counts as an assignment of every zone of
// its mask, and takes all that the lowest zone has first.
TEST_F(KubeletPublished, AZoneOfAGroupIsInUseThoughItGivesNone) {
  object_.zones[0].available.Set(kMemory, 6 * Gi);
  object_.zones[0].memory_group = object_.zones[1].memory_group = {0, 1};
  EXPECT_EQ(ZonesInUse(), (std::vector<int>{0, 1}));
  // 18 Gi take two zones: neither 0 and 2 nor 1 and 2, which would break the group, though 1 and 2 are all free.
  const Prediction prediction = Ask(*GuaranteedPod("p", {{1, 18}}));
  ASSERT_TRUE(prediction.Admitted());
  EXPECT_EQ(prediction.containers[0].affinity, 0b011u);
  object_.zones[0].available.Set(kMemory, Gi);
  EXPECT_EQ(Ask(*GuaranteedPod("p", {{1, 18}})).admission, Admission::kUnexpectedAdmissionError);
}

// The same of a zone without any memory of that kind, hugepages as well.
TEST_F(KubeletPublished, AZoneWithoutMemoryMayBeOfAGroup) {
  object_.zones[0].available.Set(kMemory, 6 * Gi);
  object_.zones[2].capacity = object_.zones[2].allocatable = object_.zones[2].available = {{kCpu, 8000}};
  object_.zones[0].memory_group = object_.zones[2].memory_group = {0, 2};
  EXPECT_EQ(ZonesInUse(), (std::vector<int>{0, 2}));
}

// RemoveContainer ends a group with its last block, and isAffinityViolatingNUMAAllocations keeps zones with memory of
// their own out of it, but lets a single zone of it be taken alone: then that zone names itself only.
TEST_F(KubeletPublished, AZoneThatAnotherNamesIsInUse) {
  object_.zones[0].available.Set(kMemory, 6 * Gi);
  object_.zones[0].memory_group = {0, 1};
  EXPECT_EQ(ZonesInUse(), (std::vector<int>{0, 1}));
  EXPECT_EQ(account_.Free(kNode).zones[1].memory_group, 0b010u);
}

// pkg/kubelet/cm/cpumanager/topology/topology.go, CPUsPerCore: all CPUs by all cores, rounded down.
TEST_F(KubeletPublished, ThreadsOfACoreAreTheMeanRoundedDown) {
  Say("cpuManagerOptionFullPCPUsOnly", "true");
  for (cluster::Zone& zone : object_.zones) {
    const auto first = static_cast<uint16_t>(8 * zone.id);
    for (uint16_t i = 0; i < 8; i += 2) zone.cores.push_back({uint16_t(first + i), uint16_t(first + i + 1)});
  }
  const auto odd = GuaranteedPod("p", {{3, 1}});
  EXPECT_EQ(Ask(*odd).admission, Admission::kSmtAlignmentError);
  // One core of two threads less, two of one more: 24 CPUs by 13 cores.
  object_.zones[2].cores.back() = {22};
  object_.zones[2].cores.push_back({23});
  EXPECT_TRUE(Ask(*odd).Admitted());
  EXPECT_EQ(account_.Free(kNode).options.threads_per_core, 1);
  // A list that leaves CPUs out shows no mean: the most that any core has.
  object_.zones[2].cores.pop_back();
  EXPECT_EQ(Ask(*odd).admission, Admission::kSmtAlignmentError);
  EXPECT_EQ(account_.Free(kNode).options.threads_per_core, 2);
}

// pkg/kubelet/cm/cpumanager/policy_static.go, GetAvailablePhysicalCPUs: CPUs beside a reserved one are not counted.
TEST_F(KubeletPublished, TheSiblingOfAReservedCpuIsNoWholeCore) {
  Say("cpuManagerOptionFullPCPUsOnly", "true");
  object_.zones.resize(1);
  cluster::Zone& zone = object_.zones[0];
  zone.cores = {{0, 4}, {1, 5}, {2, 6}, {3, 7}};
  zone.allocatable.Set(kCpu, 7000);
  zone.available.Set(kCpu, 7000);
  EXPECT_TRUE(Ask(*GuaranteedPod("p", {{6, 1}})).Admitted());
  // One more core is in use. Five CPUs are free, and four of whole cores.
  zone.available.Set(kCpu, 5000);
  EXPECT_TRUE(Ask(*GuaranteedPod("p", {{4, 1}})).Admitted());
  zone.available.Set(kCpu, 4000);
  EXPECT_EQ(Ask(*GuaranteedPod("p", {{4, 1}})).admission, Admission::kSmtAlignmentError)
      << "no pod is taken to hold the sibling unless it must";
}

TEST_F(KubeletPublished, WhichCpusAreReservedTellsHowManyCoresAreWhole) {
  Say("cpuManagerOptionFullPCPUsOnly", "true");
  object_.zones.resize(1);
  cluster::Zone& zone = object_.zones[0];
  zone.cores = {{0, 4}, {1, 5}, {2, 6}, {3, 7}};
  zone.allocatable.Set(kCpu, 6000);
  zone.available.Set(kCpu, 6000);
  const auto three_cores = GuaranteedPod("p", {{6, 1}});
  EXPECT_TRUE(Ask(*three_cores).Admitted()) << "where nobody says it a whole core is reserved";
  Say("huygens.dev/reserved-cpus", "1-2");
  EXPECT_EQ(Ask(*three_cores).admission, Admission::kSmtAlignmentError);
  EXPECT_TRUE(Ask(*GuaranteedPod("p", {{4, 1}})).Admitted());
  // What contradicts the figures, or cannot be read, counts for nothing.
  for (const char* other : {"1-3", "", "x", "0", "1-2,", ",1", "9-12"}) {
    object_.attributes.back().second = other;
    EXPECT_EQ(Ask(*three_cores).Admitted(), std::string_view(other) != "1-2,") << other;
  }
}

// pkg/kubelet/cm/devicemanager/topology_hints.go, deviceHasTopologyAlignment: devices of no zone have no say, so memory
// alone decides, and what its groups forbid stays forbidden.
TEST_F(KubeletPublished, DevicesOfNoZoneLeaveTheZonesToMemory) {
  node_.allocatable = {{kGpu, 3}};
  object_.zones[0].available.Set(kMemory, 6 * Gi);
  object_.zones[0].memory_group = object_.zones[1].memory_group = {0, 1};
  auto pod = GuaranteedPod("p", {{1, 18}});
  for (ResourceVector* amounts : {&pod->containers[0].requests, &pod->containers[0].limits}) amounts->Set(kGpu, 2);
  const Prediction prediction = Ask(*pod);
  ASSERT_TRUE(prediction.Admitted());
  EXPECT_EQ(prediction.containers[0].affinity, 0b011u);
  object_.zones[0].available.Set(kMemory, Gi);
  EXPECT_EQ(Ask(*pod).admission, Admission::kUnexpectedAdmissionError);
}

}  // namespace
}  // namespace huygens::kubelet
