// Machines that trip a naive reading of zones: sparse ids, zones without CPUs, many zones, sockets, distances; and what
// the bound on the search gives up.
#include <gtest/gtest.h>

#include "kubelet/admission.h"
#include "tests/cluster/build.h"
#include "tests/kubelet/predictions.h"

namespace huygens::kubelet {
namespace {

constexpr ResourceId kGpu = 11;

// Zones with these free CPUs (of eight each, or of none where -1) and 100 of memory.
Machine MachineOf(const std::vector<int>& free_cpus, TopologyManagerPolicy policy) {
  Machine machine;
  machine.options = {.policy = policy, .static_cpus = true, .static_memory = true};
  machine.memory.push_back({.resource = kMemory});
  for (size_t z = 0; z < free_cpus.size(); ++z) {
    const int cpus = free_cpus[z] < 0 ? 0 : 8;
    machine.zones.push_back({.id = static_cast<int>(z),
                             .cpu_capacity = cpus,
                             .cpu_allocatable = cpus,
                             .cpu_free = std::max(free_cpus[z], 0),
                             .memory_group = ZoneBit(z)});
    machine.memory[0].zones.push_back({100, 100});
  }
  return machine;
}

Container With(int cpus, int64_t memory) { return {.cpus = cpus, .memory = {{kMemory, memory}}}; }

Pod Asking(std::vector<Container> containers) {
  cluster::Pod pod;
  for (const Container& each : containers) {
    ResourceVector amounts = each.memory;
    amounts.Set(kCpu, each.cpus * 1000);
    ResourceVector limits = amounts;
    for (const auto& [resource, amount] : each.devices) limits.Set(resource, amount);
    (each.kind == Container::Kind::kApp ? pod.containers : pod.init_containers)
        .push_back({.requests = amounts, .limits = limits, .restartable = each.kind == Container::Kind::kSidecar});
  }
  return PodOf(pod);
}

std::optional<ZoneMask> Affinity(const Machine& machine, const Pod& pod) {
  const Prediction prediction = Predict(machine, pod);
  EXPECT_TRUE(prediction.Admitted()) << Text(prediction.admission);
  return prediction.Admitted() ? prediction.containers[0].affinity : std::nullopt;
}

TEST(KubeletHardware, IdsNeedNotBeNeighboursNorBelow64) {
  Machine machine = MachineOf({2, 8, 8}, TopologyManagerPolicy::kRestricted);
  machine.zones[0].id = 3;
  machine.zones[1].id = 17;
  machine.zones[2].id = 250;
  EXPECT_EQ(Affinity(machine, Asking({With(4, 10)})), 0b010);
}

TEST(KubeletHardware, ZonesWithoutCpusCountForMemoryOnly) {
  // Two CPU zones, two of memory alone. 12 CPUs take both CPU zones, and memory must want the same two.
  Machine machine = MachineOf({8, 8, -1, -1}, TopologyManagerPolicy::kRestricted);
  EXPECT_EQ(Affinity(machine, Asking({With(12, 150)})), 0b0011);
  // Memory for three zones: no common width.
  EXPECT_EQ(Predict(machine, Asking({With(12, 250)})).admission, Admission::kTopologyAffinityError);
  // A container without exclusive CPUs may go to a zone without any.
  machine.memory[0].zones[0].free = machine.memory[0].zones[1].free = 5;
  const cluster::Pod shared = huygens::test::PodAsking({{kCpu, 500}, {kMemory, 50}});
  EXPECT_EQ(Affinity(machine, PodOf(shared)), 0b0100);
}

TEST(KubeletHardware, DevicesOfManyZonesAlignWithTheirCpus) {
  // 36 zones as on GB200: two with CPUs, two GPUs at each, the rest memory of the GPUs.
  std::vector<int> free(36, -1);
  free[0] = free[1] = 8;
  Machine machine = MachineOf(free, TopologyManagerPolicy::kSingleNumaNode);
  machine.options.static_memory = false;
  machine.devices.push_back({.resource = kGpu, .healthy = 4, .groups = {{0b01, 2, 0}, {0b10, 2, 2}}});
  Container container = With(4, 10);
  container.devices = {{kGpu, 2}};
  EXPECT_EQ(Affinity(machine, Asking({container})), 0b10);
  // Nothing preferred: the merge looks at the zones that matter, not at 2^36 masks.
  machine.options.policy = TopologyManagerPolicy::kBestEffort;
  machine.zones[1].cpu_free = 3;
  const Prediction prediction = Predict(machine, Asking({container}));
  EXPECT_TRUE(prediction.Admitted());
  EXPECT_FALSE(prediction.bounded);
  EXPECT_FALSE(prediction.containers[0].preferred);
}

TEST(KubeletHardware, SixtyFourZonesAreSearchedByWidth) {
  std::vector<int> free(64, 8);
  Machine machine = MachineOf(free, TopologyManagerPolicy::kRestricted);
  EXPECT_EQ(Affinity(machine, Asking({With(8 * 64, 6400)})), ~ZoneMask{0});
  machine.zones[40].cpu_free = 7;
  EXPECT_EQ(Predict(machine, Asking({With(8 * 64, 6400)})).admission, Admission::kTopologyAffinityError);
  // Ten zones, the lowest ones with enough.
  machine.zones[3].cpu_free = 0;
  EXPECT_EQ(Affinity(machine, Asking({With(80, 950)})), AllZones(11) & ~ZoneBit(3));
  // The last two are the only ones.
  for (size_t z = 0; z < 62; ++z) machine.zones[z].cpu_free = 3;
  EXPECT_EQ(Affinity(machine, Asking({With(16, 150)})), ZoneBit(62) | ZoneBit(63));
  for (size_t z = 0; z < 64; ++z) machine.memory[0].zones[z].free = z < 63 ? 10 : 100;
  EXPECT_EQ(Affinity(machine, Asking({With(8, 100)})), ZoneBit(63));
}

// Of each zone, more CPUs are less memory, and 57 CPUs with 103 memory ask for an odd sum of even amounts: no eight
// zones will do, but only trying them tells.
Machine Puzzle(size_t zones) {
  Machine machine = MachineOf(std::vector<int>(zones, 8), TopologyManagerPolicy::kRestricted);
  for (size_t z = 0; z < zones; ++z) {
    machine.zones[z].cpu_free = z % 2 == 0 ? 6 : 8;
    machine.memory[0].zones[z] = {.allocatable = 14, .free = 20 - machine.zones[z].cpu_free};
  }
  return machine;
}

TEST(KubeletHardware, ARefusalForWantOfStepsIsMarked) {
  const Pod pod = Asking({With(57, 103)});
  const Prediction few = Predict(Puzzle(12), pod);
  EXPECT_EQ(few.admission, Admission::kTopologyAffinityError);
  EXPECT_FALSE(few.bounded);
  const Prediction many = Predict(Puzzle(64), pod);
  EXPECT_EQ(many.admission, Admission::kTopologyAffinityError);
  EXPECT_TRUE(many.bounded);
  // One less memory, and the sums are even.
  EXPECT_TRUE(Predict(Puzzle(64), Asking({With(57, 102)})).Admitted());
}

// Which number of zones memory prefers is itself a search where memory and hugepages lie in different zones.
TEST(KubeletHardware, AWidthThatWantOfStepsHidesIsMarked) {
  Machine machine = MachineOf(std::vector<int>(64, 8), TopologyManagerPolicy::kRestricted);
  machine.memory.push_back({.resource = kFirstHugepages});
  for (int64_t z = 0; z < 64; ++z) {
    const int64_t memory = 1 + z * 37 % 64, hugepages = 65 - memory;
    machine.memory[0].zones[static_cast<size_t>(z)] = {memory, memory};
    machine.memory[1].zones.push_back({hugepages, hugepages});
  }
  Container container = With(100, 500);
  container.memory.Set(kFirstHugepages, 500);
  const Prediction prediction = Predict(machine, Asking({container}));
  EXPECT_FALSE(prediction.Admitted());
  EXPECT_TRUE(prediction.bounded);
}

TEST(KubeletHardware, TheBoundIsOneForAllContainersOfAPod) {
  // Nothing is preferred: the CPUs want seven zones, the memory two.
  Machine machine = MachineOf(std::vector<int>(8, 8), TopologyManagerPolicy::kBestEffort);
  Container init = With(56, 150);
  init.kind = Container::Kind::kInit;
  auto pod = [&](int differing, int equal) {
    std::vector<Container> containers;
    for (int i = 0; i < differing + equal; ++i) {
      containers.push_back(init);
      if (i < differing) containers.back().cpus -= i % 4;
    }
    containers.push_back(With(50, 150));
    return Asking(containers);
  };
  EXPECT_FALSE(Predict(machine, pod(8, 0)).bounded);
  EXPECT_FALSE(Predict(machine, pod(8, 100)).bounded) << "equal ones are searched for once";
  EXPECT_TRUE(Predict(machine, pod(100, 0)).bounded);
}

TEST(KubeletHardware, TheNearestZonesWinWhereTheyArePreferred) {
  Machine machine = MachineOf({8, 8, 8, 8}, TopologyManagerPolicy::kRestricted);
  machine.distance = {10, 32, 32, 11, 32, 10, 12, 32, 32, 12, 10, 32, 11, 32, 32, 10};
  const Pod pod = Asking({With(12, 150)});
  EXPECT_EQ(Affinity(machine, pod), 0b0011);
  machine.options.prefer_closest = true;
  EXPECT_EQ(Affinity(machine, pod), 0b1001);
  machine.zones[3].cpu_free = 2;
  EXPECT_EQ(Affinity(machine, pod), 0b0110);
}

TEST(KubeletHardware, SocketsGiveTheirWholeRoom) {
  // Two sockets of two zones. Packed: CPUs come from the fuller socket's zones first; aligned by socket, the mask may
  // be wider than need be as long as it stays in one socket.
  Machine machine = MachineOf({5, 5, 8, 8}, TopologyManagerPolicy::kRestricted);
  machine.options.static_memory = false;
  for (size_t z = 0; z < 4; ++z) machine.zones[z].socket = z < 2 ? 0 : 1;
  const Pod pod = Asking({With(6, 10)});
  EXPECT_EQ(Affinity(machine, pod), 0b0100);
  machine.zones[2].cpu_free = machine.zones[3].cpu_free = 3;
  EXPECT_EQ(Predict(machine, pod).admission, Admission::kTopologyAffinityError);
  machine.options.align_by_socket = true;
  EXPECT_EQ(Affinity(machine, pod), 0b0011);
  machine.layout = AssumedLayout(machine);
  EXPECT_EQ(Affinity(machine, pod), 0b0011);
}

TEST(KubeletHardware, AMachineWithoutZonesOrManagersTakesAnything) {
  Machine machine;
  EXPECT_TRUE(Predict(machine, Asking({With(4, 10)})).Admitted());
  machine.options.policy = TopologyManagerPolicy::kRestricted;
  EXPECT_TRUE(Predict(machine, Asking({With(4, 10)})).Admitted());
}

TEST(KubeletHardware, OvercommittedAmountsCountAsNone) {
  Machine machine = MachineOf({8, 8}, TopologyManagerPolicy::kSingleNumaNode);
  machine.zones[0].cpu_free = -3;
  machine.memory[0].zones[1].free = -40;
  EXPECT_FALSE(Predict(machine, Asking({With(1, 10)})).Admitted());
  machine.memory[0].zones[1].free = 10;
  EXPECT_EQ(Affinity(machine, Asking({With(1, 10)})), 0b10);
}

TEST(KubeletHardware, ChargesMayBeGivenBackInAnyOrder) {
  // Two pods share multi-zone memory; the group stays as long as one of them is there.
  Machine machine = MachineOf({8, 8, 8, 8}, TopologyManagerPolicy::kRestricted);
  const Machine empty = machine;
  const Pod wide = Asking({With(9, 110)});
  const Prediction first = Predict(machine, wide);
  ASSERT_TRUE(first.Admitted());
  Charge(machine, first.charge);
  EXPECT_EQ(machine.zones[1].memory_group, 0b11u);
  const cluster::Pod shared = huygens::test::PodAsking({{kCpu, 500}, {kMemory, 150}});
  machine.memory[0].zones[0].free += 100;  // room for another in the same group
  machine.memory[0].zones[2].free = machine.memory[0].zones[3].free = 0;
  const Prediction second = Predict(machine, PodOf(shared));
  ASSERT_TRUE(second.Admitted());
  Charge(machine, second.charge);
  Discharge(machine, first.charge);
  EXPECT_EQ(machine.zones[1].memory_group, 0b11u) << "the second still holds both";
  Discharge(machine, second.charge);
  machine.memory[0].zones[0].free -= 100;
  machine.memory[0].zones[2].free = machine.memory[0].zones[3].free = 100;
  EXPECT_EQ(machine, empty);
}

TEST(KubeletHardware, MachinesOfTheSameMakeShareALayout) {
  AssumedLayouts layouts;
  const Machine one = MachineOf({8, 3}, TopologyManagerPolicy::kRestricted);
  const Machine other = MachineOf({1, 8}, TopologyManagerPolicy::kNone);
  const auto layout = layouts.Of(one);
  EXPECT_EQ(layout, layouts.Of(other));
  Machine different = one;
  different.zones[0].cpu_capacity = 10;
  EXPECT_NE(layout, layouts.Of(different));
  EXPECT_EQ(layout->InZone(1).Count(), 8);
  EXPECT_EQ(layout->cpus_per_core(), 2);
}

}  // namespace
}  // namespace huygens::kubelet
