// What it costs per node to ask whether kubelet will admit a pod, in the worst legal cases: many zones, wide requests,
// many containers, several resources that contradict each other, amounts close to what is asked. Each case runs over
// 256 machines of random free amounts; the time is that of one, and `slowest` that of the one that takes longest, best
// of 25.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <random>

#include "bench/topology/slowest.h"
#include "kubelet/admission.h"
#include "kubelet/published.h"

namespace huygens::kubelet {

namespace {

constexpr ResourceId kHugepages = kLastHugepages, kGpu = kLastHugepages + 1;
constexpr int64_t kGi = int64_t{1} << 30;
constexpr size_t kMachines = 256;

struct Case {
  const char* name;
  TopologyManagerPolicy policy = TopologyManagerPolicy::kRestricted;
  int zones = 8, cpus_per_zone = 32;
  int zones_with_cpus = 64, zones_with_gpus = 64;  // at most; the others have memory only
  int cpus = 1;                                    // asked for, as the following
  int64_t memory = 1, hugepages = 0, gpus = 0;
  int held_cpus = 32;    // of each zone, at most
  int held_memory = 60;  // of 64 Gi
  bool static_memory = true, prefer_closest = false, distribute = false, align_by_socket = false;
  bool opposed = false;  // memory and hugepages are in different zones
  int containers = 1, init_containers = 0;
  bool uneven = false;  // each container after the first asks for one CPU less than the one before
  bool doubt = false;   // more may be free than is known to be
};

// Of these there are variants below.
const Case kFourOf8{.name = "8 zones, four wanted", .cpus = 120, .memory = 230, .held_cpus = 3, .held_memory = 8};
const Case kFourOf8Nearest{.name = "8 zones, four wanted, the nearest",
                           .cpus = 120,
                           .memory = 230,
                           .held_cpus = 3,
                           .held_memory = 8,
                           .prefer_closest = true};
const Case kFourOf8Spread{.name = "8 zones, four wanted, spread evenly",
                          .cpus = 115,
                          .memory = 230,
                          .held_cpus = 8,
                          .held_memory = 8,
                          .distribute = true};
const Case kNothingPreferredOf8{.name = "8 zones, nothing preferred, all resources",
                                .policy = TopologyManagerPolicy::kBestEffort,
                                .cpus = 122,
                                .memory = 236,
                                .hugepages = 20,
                                .gpus = 3,
                                .held_cpus = 16,
                                .held_memory = 16};
const Case kEightOf64Nearest{.name = "64 zones, eight wanted, the nearest",
                             .zones = 64,
                             .cpus_per_zone = 16,
                             .cpus = 122,
                             .memory = 480,
                             .held_cpus = 3,
                             .held_memory = 8,
                             .prefer_closest = true};
const Case kOpposedOf64{.name = "64 zones, memory and hugepages in different ones",
                        .zones = 64,
                        .cpus_per_zone = 16,
                        .cpus = 60,
                        .memory = 500,
                        .hugepages = 60,
                        .held_cpus = 6,
                        .held_memory = 20,
                        .opposed = true};
const Case kNothingPreferredOf64{.name = "64 zones, nothing preferred",
                                 .policy = TopologyManagerPolicy::kBestEffort,
                                 .zones = 64,
                                 .cpus_per_zone = 16,
                                 .cpus = 500,
                                 .memory = 1800,
                                 .held_cpus = 8,
                                 .held_memory = 30};

// The same after ten init containers; `doubt` as above.
enum class Init : uint8_t { kEqual, kDiffer };
Case AfterTen(Case c, const char* name, Init init, bool doubt = false) {
  c.name = name;
  c.init_containers = 10;
  c.uneven = init == Init::kDiffer;
  c.doubt = doubt;
  return c;
}
Case Spread(Case c) {
  c.distribute = true;
  return c;
}
Case TwoInDoubt(Case c, const char* name) {
  c.name = name;
  c.containers = 2;
  c.doubt = true;
  return c;
}

const Case kCases[] = {
    {.name = "2 zones, one wanted", .zones = 2, .cpus = 8, .memory = 16},
    {.name = "8 zones, one wanted, all resources", .cpus = 8, .memory = 16, .hugepages = 2, .gpus = 1},
    kFourOf8,
    kFourOf8Nearest,
    kFourOf8Spread,
    kNothingPreferredOf8,
    {.name = "8 zones, three containers after one init container",
     .cpus = 4,
     .memory = 8,
     .gpus = 1,
     .containers = 3,
     .init_containers = 1},
    {.name = "36 zones, two of them with CPUs",
     .zones = 36,
     .cpus_per_zone = 72,
     .zones_with_cpus = 2,
     .zones_with_gpus = 4,
     .cpus = 32,
     .memory = 32,
     .gpus = 1},
    {.name = "36 zones, nothing preferred",
     .policy = TopologyManagerPolicy::kBestEffort,
     .zones = 36,
     .cpus_per_zone = 72,
     .zones_with_cpus = 2,
     .zones_with_gpus = 4,
     .cpus = 100,
     .gpus = 4,
     .static_memory = false},
    {.name = "64 zones, one wanted, all resources",
     .zones = 64,
     .cpus_per_zone = 16,
     .cpus = 14,
     .memory = 60,
     .hugepages = 7,
     .gpus = 2},
    {.name = "64 zones, two wanted", .zones = 64, .cpus_per_zone = 16, .cpus = 31, .memory = 120, .hugepages = 14},
    {.name = "64 zones, four wanted, the nearest",
     .zones = 64,
     .cpus_per_zone = 16,
     .cpus = 60,
     .memory = 200,
     .held_cpus = 6,
     .held_memory = 20,
     .prefer_closest = true},
    {.name = "64 zones, eight wanted",
     .zones = 64,
     .cpus_per_zone = 16,
     .cpus = 126,
     .memory = 500,
     .held_cpus = 3,
     .held_memory = 8},
    kEightOf64Nearest,
    {.name = "64 zones, thirty-two wanted",
     .zones = 64,
     .cpus_per_zone = 16,
     .cpus = 502,
     .memory = 2000,
     .held_cpus = 3,
     .held_memory = 8},
    kOpposedOf64,
    {.name = "64 zones, memory and hugepages in different ones, the nearest, three containers",
     .zones = 64,
     .cpus_per_zone = 16,
     .cpus = 30,
     .memory = 400,
     .hugepages = 40,
     .held_cpus = 6,
     .held_memory = 20,
     .prefer_closest = true,
     .opposed = true,
     .containers = 3},
    {.name = "64 zones, nothing preferred, memory and hugepages in different ones",
     .policy = TopologyManagerPolicy::kBestEffort,
     .zones = 64,
     .cpus_per_zone = 16,
     .cpus = 60,
     .memory = 500,
     .hugepages = 60,
     .held_cpus = 6,
     .held_memory = 20,
     .opposed = true},
    {.name = "8 zones, four wanted, by socket",
     .cpus = 120,
     .memory = 230,
     .held_cpus = 3,
     .held_memory = 8,
     .align_by_socket = true},
    {.name = "64 zones, eight wanted, by socket",
     .zones = 64,
     .cpus_per_zone = 16,
     .cpus = 126,
     .memory = 500,
     .held_cpus = 3,
     .held_memory = 8,
     .align_by_socket = true},
    kNothingPreferredOf64,
    AfterTen(kNothingPreferredOf8, "8 zones, nothing preferred, ten init containers", Init::kEqual),
    AfterTen(kNothingPreferredOf8, "8 zones, nothing preferred, ten init containers that differ", Init::kDiffer),
    AfterTen(kNothingPreferredOf8, "8 zones, nothing preferred, ten init containers that differ, in doubt",
             Init::kDiffer, true),
    AfterTen(kFourOf8, "8 zones, four wanted, ten init containers", Init::kEqual),
    AfterTen(kFourOf8, "8 zones, four wanted, ten init containers that differ", Init::kDiffer),
    AfterTen(kFourOf8Nearest, "8 zones, four wanted, the nearest, ten init containers that differ", Init::kDiffer),
    AfterTen(kFourOf8, "8 zones, four wanted, ten init containers that differ, in doubt", Init::kDiffer, true),
    AfterTen(kFourOf8Spread, "8 zones, spread evenly, ten init containers", Init::kEqual),
    AfterTen(kFourOf8Spread, "8 zones, spread evenly, ten init containers that differ", Init::kDiffer),
    AfterTen(kFourOf8Spread, "8 zones, spread evenly, ten init containers that differ, in doubt", Init::kDiffer, true),
    {.name = "8 zones, memory and hugepages in different ones, ten containers",
     .policy = TopologyManagerPolicy::kBestEffort,
     .cpus = 12,
     .memory = 24,
     .hugepages = 4,
     .gpus = 1,
     .held_cpus = 16,
     .held_memory = 16,
     .opposed = true,
     .containers = 10},
    {.name = "8 zones, memory and hugepages in different ones, ten containers, in doubt",
     .policy = TopologyManagerPolicy::kBestEffort,
     .cpus = 5,
     .memory = 12,
     .hugepages = 1,
     .gpus = 0,
     .held_cpus = 16,
     .held_memory = 16,
     .opposed = true,
     .containers = 10,
     .doubt = true},
    {.name = "8 zones, one wanted, twenty containers, in doubt",
     .cpus = 8,
     .memory = 12,
     .held_cpus = 3,
     .held_memory = 8,
     .containers = 20,
     .doubt = true},
    AfterTen(kEightOf64Nearest, "64 zones, eight wanted, the nearest, ten init containers that differ, in doubt",
             Init::kDiffer, true),
    AfterTen(kNothingPreferredOf64, "64 zones, nothing preferred, ten init containers that differ, in doubt",
             Init::kDiffer, true),
    AfterTen(Spread(kNothingPreferredOf64),
             "64 zones, spread evenly, nothing preferred, ten init containers that differ", Init::kDiffer),
    TwoInDoubt(kOpposedOf64, "64 zones, memory and hugepages in different ones, refused, in doubt"),
    {.name = "64 zones, spread evenly, eight wanted",
     .zones = 64,
     .cpus_per_zone = 16,
     .cpus = 122,
     .memory = 480,
     .held_cpus = 6,
     .held_memory = 8,
     .distribute = true},
};

// The most that is free.
kubelet::Machine MostOf(kubelet::Machine machine) {
  for (kubelet::Zone& zone : machine.zones) zone.cpu_free = std::min(zone.cpu_free + 1, zone.cpu_allocatable);
  for (MemoryResource& row : machine.memory) {
    for (MemoryResource::Zone& zone : row.zones) zone.free = std::min(zone.free + kGi, zone.allocatable);
  }
  return machine;
}

kubelet::Machine MachineOf(const Case& c, std::mt19937& random) {
  auto upto = [&](int most) { return std::uniform_int_distribution<int>(0, most)(random); };
  kubelet::Machine machine;
  machine.options = {.policy = c.policy,
                     .prefer_closest = c.prefer_closest,
                     .static_cpus = true,
                     .static_memory = c.static_memory,
                     .distribute_across_zones = c.distribute,
                     .align_by_socket = c.align_by_socket};
  machine.memory = {{.resource = kMemory}, {.resource = kHugepages}};
  machine.devices = {{.resource = kGpu}};
  for (int z = 0; z < c.zones; ++z) {
    const int cpus = z < c.zones_with_cpus ? c.cpus_per_zone : 0;
    machine.zones.push_back({.id = z,
                             .socket = z * 2 / c.zones,
                             .cpu_capacity = cpus,
                             .cpu_allocatable = cpus,
                             .cpu_free = std::max(0, cpus - upto(c.held_cpus)),
                             .memory_group = ZoneBit(static_cast<size_t>(z))});
    const int64_t memory = c.opposed && z % 2 == 1 ? 8 : 64, hugepages = c.opposed && z % 2 == 0 ? 1 : 8;
    machine.memory[0].zones.push_back({memory * kGi, std::max<int64_t>(memory - upto(c.held_memory), 0) * kGi});
    machine.memory[1].zones.push_back({hugepages * kGi, std::min<int64_t>(hugepages, upto(8)) * kGi});
    if (z < c.zones_with_gpus) {
      machine.devices[0].groups.push_back({ZoneBit(static_cast<size_t>(z)), 2, upto(2)});
      machine.devices[0].healthy += 2;
    }
    for (int other = 0; other < c.zones; ++other) {
      machine.distance.push_back(z == other ? 10 : z * 2 / c.zones != other * 2 / c.zones ? 21 + upto(3) : 12);
    }
  }
  machine.layout = AssumedLayout(machine);
  return machine;
}

cluster::Pod PodOf(const Case& c) {
  cluster::Container container{.requests = {{kCpu, c.cpus * 1000}, {kMemory, c.memory * kGi}}};
  if (c.hugepages > 0) container.requests.Set(kHugepages, c.hugepages * kGi);
  container.limits = container.requests;
  if (c.gpus > 0) container.limits.Set(kGpu, c.gpus);
  cluster::Pod pod;
  pod.init_containers.assign(static_cast<size_t>(c.init_containers), container);
  pod.containers.assign(static_cast<size_t>(c.containers), container);
  if (!c.uneven) return pod;
  int64_t less = 0;
  for (std::vector<cluster::Container>* all : {&pod.init_containers, &pod.containers}) {
    for (cluster::Container& each : *all) {
      each.requests.Set(kCpu, (c.cpus - less++) * 1000);
      each.limits = each.requests;
      if (c.gpus > 0) each.limits.Set(kGpu, c.gpus);
    }
  }
  return pod;
}

// As the check "topology" asks: about the least that is free, where in doubt about the most, and where refused for sure
// about the empty machine.
Prediction Ask(const kubelet::Machine& machine, const kubelet::Machine* most, const kubelet::Pod& pod) {
  SearchSteps steps(machine.zones.size());
  Prediction prediction = Predict(machine, pod, steps);
  if (most != nullptr && prediction.Admitted()) {
    Prediction at_most = Predict(*most, pod, steps);
    if (!at_most.Admitted()) prediction = std::move(at_most);
  }
  if (!prediction.Admitted() && !prediction.bounded) benchmark::DoNotOptimize(Predict(Emptied(machine), pod));
  return prediction;
}

void AskOne(benchmark::State& state, const Case& c) {
  std::mt19937 random(1);
  std::vector<kubelet::Machine> machines, most;
  for (size_t i = 0; i < kMachines; ++i) machines.push_back(MachineOf(c, random));
  for (size_t i = 0; i < kMachines && c.doubt; ++i) most.push_back(MostOf(machines[i]));
  const kubelet::Pod pod = kubelet::PodOf(PodOf(c));
  auto ask = [&](size_t i) { return Ask(machines[i], c.doubt ? &most[i] : nullptr, pod); };
  size_t next = 0, admitted = 0, bounded = 0, asked = 0;
  for (auto _ : state) {
    const Prediction prediction = ask(next++ % kMachines);
    admitted += prediction.Admitted() ? 1 : 0;
    bounded += prediction.bounded ? 1 : 0;
    ++asked;
  }
  state.counters["slowest"] = bench::Slowest(kMachines, ask);
  state.counters["admitted"] = static_cast<double>(admitted) / static_cast<double>(asked);
  state.counters["bounded"] = static_cast<double>(bounded) / static_cast<double>(asked);
}

}  // namespace

}  // namespace huygens::kubelet

int main(int argc, char** argv) {
  for (const huygens::kubelet::Case& c : huygens::kubelet::kCases) {
    benchmark::RegisterBenchmark(c.name, huygens::kubelet::AskOne, c)->Unit(benchmark::kMicrosecond);
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
