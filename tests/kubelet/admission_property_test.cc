// 100 000 random machines and pods: the prediction must be what a naive rerun of kubelet's own steps gives
// (naive_kubelet.h), down to each CPU, block of memory and device, and charging it must be undone exactly.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "kubelet/admission.h"
#include "kubelet/request.h"
#include "tests/cluster/build.h"
#include "tests/kubelet/naive_kubelet.h"
#include "tests/kubelet/predictions.h"

namespace huygens::kubelet::test {
namespace {

constexpr ResourceId kHugepages = 10, kGpu = 11, kNic = 12;

class Generator {
 public:
  explicit Generator(uint64_t seed) : random_(seed) {}

  Machine Make() {
    Machine machine;
    const int n = Pick({1, 2, 2, 2, 2, 3, 3, 3, 4, 4, 5});
    // What a product of hints can be asked for in reasonable time.
    hugepages_ = Chance(40) && n < 5;
    gpus_ = Chance(50);
    nics_ = gpus_ && Chance(30) && n < 4;
    Zones(machine, n);
    Layout(machine, n);
    Memory(machine, kMemory);
    if (hugepages_) Memory(machine, kHugepages);
    for (size_t z = 0; z < machine.zones.size() && Chance(60); ++z) Group(machine, z);
    if (gpus_) Devices(machine, kGpu);
    if (nics_) Devices(machine, kNic);
    machine.options = AnyOptions();
    return machine;
  }

  // Many zones and a pod of one container that spans them, with nothing but CPUs to divide evenly.
  Machine WideMachine() {
    Machine machine;
    const int n = Number(5, 8);
    Zones(machine, n);
    Layout(machine, n);
    machine.options = {.static_cpus = true, .full_cores_only = Chance(30), .distribute_across_zones = true};
    return machine;
  }
  cluster::Pod WidePod() { return huygens::test::PodAsking({{kCpu, Number(6, 30) * 1000}, {kMemory, 1}}); }

  cluster::Pod Pod() {
    cluster::Pod pod;
    guaranteed_ = Chance(92);
    for (int i = Number(0, 2) * Number(0, 1); i > 0; --i) {
      pod.init_containers.push_back(Container());
      pod.init_containers.back().restartable = Chance(40);
    }
    for (int i = Pick({1, 1, 1, 2, 2, 3}); i > 0; --i) pod.containers.push_back(Container());
    if (Chance(2)) pod.pod_level.emplace(cluster::PodResources{{{kCpu, 2000}}, {{kCpu, 2000}}});
    return pod;
  }

 private:
  int Number(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }
  bool Chance(int percent) { return Number(1, 100) <= percent; }
  int Pick(std::initializer_list<int> from) { return *(from.begin() + Number(0, static_cast<int>(from.size()) - 1)); }

  void Zones(Machine& machine, int n) {
    int id = 0;
    for (int z = 0; z < n; ++z) {
      id += Chance(15) ? Number(1, 9) : 1;
      machine.zones.push_back({.id = id, .memory_group = ZoneBit(static_cast<size_t>(z))});
    }
    const bool even = Chance(50);
    for (int a = 0; a < n; ++a) {
      for (int b = 0; b < n; ++b) machine.distance.push_back(a == b ? 10 : even ? 20 : Number(11, 14));
    }
  }

  void Layout(Machine& machine, int n) {
    std::vector<LogicalCpu> cpus;
    std::vector<int> reserved;
    const int sockets = Number(1, n), threads = Number(1, 2);
    const bool mixed = Chance(10), split = Chance(10), uneven = Chance(40);
    const int cores = Number(1, 4);
    const int caches = Number(1, 2);
    int core = 0;
    for (int z = 0; z < n; ++z) {
      const int here = z > 0 && Chance(10) ? 0 : uneven ? Number(1, 4) : cores;
      for (int c = 0; c < here; ++c, ++core) {
        for (int t = mixed ? Number(1, 2) : threads; t > 0; --t) {
          cpus.push_back({.core = core,
                          .zone = static_cast<size_t>(z),
                          .socket = split ? core % (n + 1) : z * sockets / n,
                          .uncore_cache = caches == 1 ? -1 : 100 * z + c / 2});
        }
      }
    }
    std::vector<int> ids(cpus.size());
    for (size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<int>(i);
    const int numbering = Number(0, 2);
    if (numbering == 1) std::shuffle(ids.begin(), ids.end(), random_);
    if (numbering == 2) std::stable_sort(ids.begin(), ids.end(), [](int a, int b) { return a % 2 < b % 2; });
    std::vector<int> free;
    const int share = Pick({40, 75, 90, 100}), system = Pick({0, 5, 15});
    for (size_t i = 0; i < cpus.size(); ++i) {
      cpus[i].id = ids[i];
      Zone& zone = machine.zones[cpus[i].zone];
      ++zone.cpu_capacity;
      if (Chance(system)) {
        reserved.push_back(ids[i]);
        continue;
      }
      ++zone.cpu_allocatable;
      if (!Chance(share)) continue;
      ++zone.cpu_free;
      free.push_back(ids[i]);
    }
    machine.layout = CpuLayout::Make(std::move(cpus), reserved);
    machine.knows_free_cpus = true;
    machine.free_cpus = machine.layout->Positions(free);
  }

  void Memory(Machine& machine, ResourceId resource) {
    MemoryResource row{.resource = resource};
    const bool full = Chance(40), scarce = Chance(25);
    for (size_t z = 0; z < machine.zones.size(); ++z) {
      const int allocatable = scarce ? 12 : Chance(15) ? 0 : Number(2, 12);
      row.zones.push_back({allocatable, scarce ? Number(1, 6) : full ? allocatable : Number(0, allocatable)});
    }
    machine.memory.push_back(row);
  }

  // Memory held of this zone, alone or together with others.
  void Group(Machine& machine, size_t zone) {
    ZoneMask group = ZoneBit(zone);
    if (Chance(50)) group |= ZoneBit(static_cast<size_t>(Number(0, static_cast<int>(machine.zones.size()) - 1)));
    for (size_t z : ZonesIn{group}) {
      machine.zones[z].memory_blocks = Number(1, 2);
      if (!Chance(10)) machine.zones[z].memory_group = group;
    }
  }

  void Devices(Machine& machine, ResourceId resource) {
    DeviceResource row{.resource = resource};
    const int n = static_cast<int>(machine.zones.size());
    for (int i = Number(0, 5); i > 0; --i) {
      DeviceGroup device{.zones = 0, .total = 1};
      if (!Chance(10)) device.zones |= ZoneBit(static_cast<size_t>(Number(0, n - 1)));
      if (device.zones != 0 && Chance(15)) device.zones |= ZoneBit(static_cast<size_t>(Number(0, n - 1)));
      const bool healthy = Chance(95);
      row.healthy += healthy ? 1 : 0;
      device.free = healthy && Chance(75) ? 1 : 0;
      row.groups.push_back(device);
    }
    machine.devices.push_back(row);
  }

  Options AnyOptions() {
    const int policy = Number(1, 100);
    Options options{.policy = policy <= 45   ? TopologyManagerPolicy::kBestEffort
                              : policy <= 78 ? TopologyManagerPolicy::kRestricted
                              : policy <= 93 ? TopologyManagerPolicy::kSingleNumaNode
                                             : TopologyManagerPolicy::kNone,
                    .scope = Chance(50) ? TopologyManagerScope::kPod : TopologyManagerScope::kContainer,
                    .prefer_closest = Chance(30),
                    .static_cpus = Chance(90),
                    .static_memory = Chance(60),
                    .full_cores_only = Chance(15),
                    .align_by_socket = Chance(12)};
    switch (Number(0, 9)) {
      case 0:
      case 1:
        options.distribute_across_zones = true;
        break;
      case 2:
        options.align_by_uncore_cache = true;
        break;
      case 3:
        options.distribute_across_cores = !options.full_cores_only;
        break;
      default:
        break;
    }
    return options;
  }

  cluster::Container Container() {
    cluster::Container container{.name = "c"};
    ResourceVector amounts;
    amounts.Set(kCpu, Chance(12) ? Number(1, 5) * 500 : Pick({1, 1, 2, 2, 3, 4, 5, 7, 9}) * 1000);
    amounts.Set(kMemory, Number(1, 12));
    if (hugepages_ && Chance(50)) amounts.Set(kHugepages, Number(0, 8));
    container.requests = container.limits = amounts;
    if (!guaranteed_) container.limits.Set(kCpu, 20'000);
    if (gpus_ && Chance(50)) container.limits.Set(kGpu, Number(0, 3));
    if (nics_ && Chance(50)) container.limits.Set(kNic, Number(1, 2));
    return container;
  }

  std::mt19937_64 random_;
  bool hugepages_ = false, gpus_ = false, nics_ = false, guaranteed_ = true;
};

std::set<int> Positions(ZoneMask mask) {
  std::set<int> zones;
  for (size_t zone : ZonesIn{mask}) zones.insert(static_cast<int>(zone));
  return zones;
}

std::set<int> Positions(const CpuSet& cpus) {
  std::set<int> positions;
  cpus.ForEach([&](size_t cpu) { positions.insert(static_cast<int>(cpu)); });
  return positions;
}

void ExpectSame(const Machine& machine, const NaiveResult& naive, const Prediction& prediction) {
  std::string outcome = "admitted";
  if (!prediction.Admitted()) {
    outcome = Concat(Text(prediction.admission), prediction.at_merge ? " merge " : " allocate ",
                     std::to_string(prediction.container));
  }
  ASSERT_EQ(outcome, naive.outcome);
  EXPECT_FALSE(prediction.bounded);
  if (!prediction.Admitted()) return;
  ASSERT_EQ(prediction.containers.size(), naive.containers.size());
  for (size_t i = 0; i < naive.containers.size(); ++i) {
    const ContainerPlacement& placement = prediction.containers[i];
    const NaiveContainer& expected = naive.containers[i];
    EXPECT_EQ(placement.preferred, expected.preferred);
    EXPECT_EQ(placement.affinity ? std::optional(Positions(*placement.affinity)) : std::nullopt, expected.affinity);
    EXPECT_EQ(Positions(placement.cpu_set), expected.cpus);
    size_t blocks = 0;
    for (const auto& block : placement.memory) {
      ++blocks;
      const auto found = expected.memory.find(machine.memory[block.row].resource);
      ASSERT_NE(found, expected.memory.end());
      EXPECT_EQ(found->second, std::pair(block.bytes, Positions(block.zones)));
    }
    EXPECT_EQ(blocks, expected.memory.size());
    std::map<ResourceId, std::set<int>> devices;
    for (const auto& share : placement.devices) devices[machine.devices[share.row].resource].insert(share.group);
    EXPECT_EQ(devices, expected.devices);
  }
  Machine charged = machine;
  Charge(charged, prediction.charge);
  EXPECT_EQ(Positions(charged.free_cpus), naive.free_cpus);
  for (size_t z = 0; z < machine.zones.size(); ++z) {
    EXPECT_EQ(charged.zones[z].cpu_free,
              charged.free_cpus.CountIn(z < machine.layout->zones() ? machine.layout->InZone(z) : CpuSet()));
    EXPECT_EQ(charged.zones[z].memory_blocks, naive.memory_blocks[z]);
    EXPECT_EQ(Positions(charged.zones[z].memory_group), naive.memory_groups[z]);
  }
  for (const MemoryResource& row : charged.memory) {
    for (size_t z = 0; z < row.zones.size(); ++z) {
      EXPECT_EQ(row.zones[z].free, naive.free_memory.at(row.resource)[z]);
    }
  }
  for (const DeviceResource& row : charged.devices) {
    std::set<int> free;
    for (size_t i = 0; i < row.groups.size(); ++i) {
      if (row.groups[i].free > 0) free.insert(static_cast<int>(i));
    }
    EXPECT_EQ(free, naive.free_devices.at(row.resource));
  }
  Discharge(charged, prediction.charge);
  EXPECT_EQ(charged, machine);
}

class KubeletProperty : public testing::TestWithParam<int> {};

TEST_P(KubeletProperty, TheNaiveRerunAgrees) {
  constexpr int kCases = 25'000;
  int admitted = 0;
  for (int i = 0; i < kCases; ++i) {
    const uint64_t seed = static_cast<uint64_t>(GetParam()) * 1'000'000 + static_cast<uint64_t>(i);
    SCOPED_TRACE(seed);
    Generator generator(seed);
    const Machine machine = generator.Make();
    const cluster::Pod pod = generator.Pod();
    const NaiveResult naive = NaiveAdmit(machine, pod);
    const Prediction prediction = Predict(machine, RequestOf(pod).pod);
    admitted += prediction.Admitted() ? 1 : 0;
    ExpectSame(machine, naive, prediction);
    if (HasFailure()) return;
  }
  // Both sides of the question are asked often enough.
  EXPECT_GT(admitted, kCases / 5);
  EXPECT_LT(admitted, kCases * 4 / 5);
}

TEST(KubeletWide, CpusAreDividedAsTheNaiveRerunDoes) {
  int divided = 0;
  for (uint64_t seed = 1; seed <= 4000; ++seed) {
    SCOPED_TRACE(seed);
    Generator generator(seed);
    const Machine machine = generator.WideMachine();
    const cluster::Pod pod = generator.WidePod();
    const Prediction prediction = Predict(machine, RequestOf(pod).pod);
    divided += prediction.Admitted() && prediction.containers[0].cpus.size() > 3 ? 1 : 0;
    ExpectSame(machine, NaiveAdmit(machine, pod), prediction);
    if (HasFailure()) return;
  }
  EXPECT_GT(divided, 400);
}

// Several of each container, most of which take what those before them left.
TEST(KubeletRepeated, EqualContainersFareAsInTheNaiveRerun) {
  int admitted = 0;
  for (uint64_t seed = 1; seed <= 8000; ++seed) {
    SCOPED_TRACE(seed);
    Generator generator(seed);
    const Machine machine = generator.Make();
    cluster::Pod pod = generator.Pod();
    std::vector<cluster::Container> init;
    if (seed % 2 == 0) pod.init_containers = {pod.containers.front()};
    for (const cluster::Container& each : pod.init_containers) init.insert(init.end(), 3, each);
    pod.init_containers = init;
    pod.containers.insert(pod.containers.begin(), pod.containers.front());
    if (pod.containers.size() > 3) pod.containers.pop_back();
    const Prediction prediction = Predict(machine, PodOf(pod));
    admitted += prediction.Admitted() ? 1 : 0;
    ExpectSame(machine, NaiveAdmit(machine, pod), prediction);
    if (HasFailure()) return;
  }
  EXPECT_GT(admitted, 8000 / 5);
}

INSTANTIATE_TEST_SUITE_P(Seeds, KubeletProperty, testing::Values(1, 2, 3, 4));

}  // namespace
}  // namespace huygens::kubelet::test
