// What the term LeastNUMANodes costs per node in the worst legal cases: many zones, wide requests, several resources of
// uneven amounts, distances that differ. Each case runs over 256 nodes of random amounts; the time is that of one, and
// `slowest` that of the one that takes longest, best of 25.
#include "scoring/least_numa.h"

#include <benchmark/benchmark.h>

#include <random>

#include "bench/topology/slowest.h"
#include "kubelet/published.h"

namespace huygens::scoring {

namespace {

constexpr int64_t kGi = int64_t{1} << 30;
constexpr size_t kNodes = 256;

enum class Distances : int64_t { kEven, kNoise };

cluster::NodeTopology NodeOf(int zones, Distances distances, std::mt19937& random) {
  auto upto = [&](int most) { return std::uniform_int_distribution<int>(0, most)(random); };
  cluster::NodeTopology node;
  node.source = cluster::TopologySource::kCommunity;
  for (int z = 0; z < zones; ++z) {
    cluster::Zone& zone = node.zones.emplace_back(cluster::Zone{.id = z});
    zone.capacity = {{kCpu, 16000}, {kMemory, 64 * kGi}};
    zone.available = {{kCpu, upto(16) * 1000}, {kMemory, upto(64) * kGi}};
    zone.allocatable = zone.capacity;
    for (int other = 0; other < zones; ++other) {
      zone.costs.emplace_back(other, z == other ? 10 : distances == Distances::kEven ? 21 : 11 + upto(100));
    }
  }
  return node;
}

// zones, zones wanted at least, containers, distances
void ScoreOne(benchmark::State& state) {
  const auto zones = static_cast<int>(state.range(0));
  std::mt19937 random(1);
  cluster::Pod pod;
  cluster::Container container{.requests = {{kCpu, state.range(1) * 12000}, {kMemory, state.range(1) * 48 * kGi}}};
  container.limits = container.requests;
  pod.containers.assign(static_cast<size_t>(state.range(2)), container);
  const CommunityPod view = CommunityPodOf(pod);
  std::vector<cluster::NodeTopology> nodes;
  std::vector<kubelet::Machine> machines;
  for (size_t i = 0; i < kNodes; ++i) {
    nodes.push_back(NodeOf(zones, Distances(state.range(3)), random));
    machines.push_back(kubelet::PublishedMachine(nodes.back(), {}));
  }
  CommunityZones scratch;
  auto score = [&](size_t i) {
    scratch.Fill(nodes[i], machines[i], machines[i], view.resources);
    return LeastNumaScore(view, kubelet::TopologyManagerScope::kContainer, 8, scratch);
  };
  size_t next = 0;
  for (auto _ : state) benchmark::DoNotOptimize(score(next++ % kNodes));
  state.counters["slowest"] = bench::Slowest(kNodes, score);
}

void Cases(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"zones", "wanted", "containers", "distances"});
  bench->ArgsProduct({{8}, {1, 4}, {1, 3}, {1}});
  bench->ArgsProduct({{36, 64}, {2, 4, 8}, {1, 3}, {0, 1}});
}
BENCHMARK(ScoreOne)->Apply(Cases)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace huygens::scoring
