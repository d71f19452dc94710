// What objects and pods may claim without harm: absurd amounts, many resources, placements made to be hard.
#include "kubelet/holding.h"

#include <gtest/gtest.h>

#include <limits>

#include "kubelet/published.h"
#include "tests/kubelet/node.h"

namespace huygens::kubelet {
namespace {

using test::Gi;

constexpr int64_t kHuge = std::numeric_limits<int64_t>::max();
const Options kRestricted{.policy = TopologyManagerPolicy::kRestricted, .static_cpus = true, .static_memory = true};

TEST(KubeletLimits, AnObjectOfMoreCpusThanALayoutCountsIsNotUsable) {
  cluster::NodeTopology object = test::Object({{8, 16}, {8, 16}});
  EXPECT_TRUE(Usable(object));
  object.zones[0].capacity.Set(kCpu, 65'535 * 1000);
  EXPECT_FALSE(Usable(object));
  object.zones[0].capacity.Set(kCpu, 8000);
  object.zones[1].available.Set(kCpu, kHuge);
  EXPECT_FALSE(Usable(object));
}

TEST(KubeletLimits, SumsOfPublishedMemoryDoNotOverflow) {
  cluster::NodeTopology object = test::Object(std::vector<std::pair<int64_t, int64_t>>(64, {8, 16}));
  for (cluster::Zone& zone : object.zones) zone.available.Set(kMemory, kHuge);
  const Machine machine = PublishedMachine(object, kRestricted);
  for (const MemoryResource::Zone& zone : machine.memory[0].zones) {
    EXPECT_LE(zone.free, kHuge / 64);
    EXPECT_LE(zone.allocatable, kHuge / 64);
  }
}

TEST(KubeletLimits, RequestsAreNeverCutToSmallOnes) {
  const Machine machine = PublishedMachine(test::Object({{8, 16}, {8, 16}}), kRestricted);
  const int64_t one_more = (int64_t{1} << 32) + 1;
  EXPECT_FALSE(Predict(machine, PodOf(*test::GuaranteedPod("a", {{one_more, 1}}))).Admitted());
  const Pod sum = PodOf(*test::GuaranteedPod("b", {{(1 << 30) + 1, 1}, {3 << 29, 1}, {3 << 29, 1}}));
  EXPECT_GE(sum.cpus, 1 << 20);
}

TEST(KubeletLimits, HundredsOfDeviceResourcesAreToldApart) {
  constexpr size_t kResources = 300;
  Machine machine = PublishedMachine(test::Object({{8, 16}, {8, 16}}), kRestricted);
  for (size_t i = 0; i < kResources; ++i) {
    machine.devices.push_back({.resource = static_cast<ResourceId>(100 + i), .healthy = 1});
    machine.devices.back().groups.push_back({.zones = ZoneBit(1), .total = 1, .free = 1});
  }
  const ResourceId last = machine.devices.back().resource;
  cluster::Pod pod = *test::GuaranteedPod("a", {{1, 1}});
  pod.containers[0].limits.Set(last, 1);
  const Prediction prediction = Predict(machine, PodOf(pod));
  ASSERT_TRUE(prediction.Admitted());
  ASSERT_EQ(prediction.containers[0].devices.size(), 1u);
  EXPECT_EQ(prediction.containers[0].devices[0].row, kResources - 1);
  const auto zones = ZonesOf(machine, prediction.charge);
  ASSERT_EQ(zones.size(), 1u);
  EXPECT_EQ(zones[0].amount.Get(last), 1);
}

// The memory group of each zone once a pod of these containers holds so much memory of each zone, in Gi.
std::vector<ZoneMask> Groups(const std::vector<int64_t>& containers, const std::vector<int64_t>& zones) {
  std::vector<std::pair<int64_t, int64_t>> asked;
  for (int64_t memory : containers) asked.emplace_back(1, memory);
  Machine machine =
      PublishedMachine(test::Object(std::vector<std::pair<int64_t, int64_t>>(zones.size(), {8, 16})), kRestricted);
  const Pod pod = PodOf(*test::GuaranteedPod("a", asked));
  Holding holding{.pod = pod};
  for (size_t i = 0; i < zones.size(); ++i) {
    holding.zones.push_back({static_cast<int>(i), {{kCpu, 8000}, {kMemory, zones[i] * Gi}}});
  }
  ChargeAll(machine, holding);
  std::vector<ZoneMask> groups;
  for (const Zone& zone : machine.zones) groups.push_back(zone.memory_group);
  return groups;
}

TEST(KubeletHolding, MemorySpansZonesUnlessEachContainerMayHaveItsOwn) {
  const std::vector<ZoneMask> apart{0b01, 0b10}, spanned{0b11, 0b11};
  EXPECT_EQ(Groups({1, 2, 3, 4}, {5, 5}), apart);
  EXPECT_EQ(Groups({1, 2, 3, 4}, {9, 1}), apart);
  EXPECT_EQ(Groups({3, 3, 4}, {5, 5}), spanned);
  EXPECT_EQ(Groups({1, 1}, {2, 2}), spanned) << "more than the containers ask for";
  EXPECT_EQ(Groups({2}, {1, 1}), spanned);
}

// Containers could be dealt to zones in 64^8 ways.
TEST(KubeletHolding, APlacementThatIsHardToJudgeIsJudgedAtOnce) {
  EXPECT_EQ(Groups(std::vector<int64_t>(8, 1), std::vector<int64_t>(64, 100)), std::vector<ZoneMask>(64, AllZones(64)));
}

}  // namespace
}  // namespace huygens::kubelet
