// What choosing zones costs per managed node: the worst legal cases (64 zones, uneven distances, several resources),
// the largest that is searched in full (12 zones), and usual machines. One iteration is one node; figures differ from
// node to node, so that nothing is learned from the last one.
#include "topology/zone_choice.h"

#include <benchmark/benchmark.h>

#include <random>
#include <vector>

namespace huygens::topology {
namespace {

enum class Distances : int64_t {
  kEven,
  kSockets,  // sockets of 4 zones, blades of 16
  kNoise,
};
enum class Figures : int64_t {
  kAlike,    // 8 or 9 of each resource
  kSpread,   // 1 to 20
  kOpposed,  // much of one resource where there is little of the next
};

struct Machine {
  ZoneOffers offers;
  std::vector<uint16_t> distance;
};

uint16_t Distance(Distances kind, size_t a, size_t b, std::mt19937_64& dice) {
  if (kind == Distances::kNoise) return static_cast<uint16_t>(20 + dice() % 128);
  if (kind == Distances::kEven || a / 4 == b / 4) return 24;
  return a / 16 == b / 16 ? 42 : 64;
}

int64_t Amount(Figures kind, size_t zone, size_t resource, std::mt19937_64& dice) {
  if (kind == Figures::kAlike) return 8 + static_cast<int64_t>(dice() % 2);
  if (kind == Figures::kSpread) return 1 + static_cast<int64_t>(dice() % 20);
  return (zone + resource) % 2 == 0 ? 15 + static_cast<int64_t>(dice() % 5) : 1 + static_cast<int64_t>(dice() % 5);
}

Machine Make(size_t zones, size_t resources, Distances distances, Figures figures, std::mt19937_64& dice) {
  Machine machine;
  machine.offers.resources = resources;
  machine.distance.resize(zones * zones);
  for (size_t a = 0; a < zones; ++a) {
    machine.offers.zones.push_back(static_cast<int>(a));
    for (size_t r = 0; r < resources; ++r) machine.offers.free.push_back(1000 * Amount(figures, a, r, dice));
    for (size_t b = 0; b < a; ++b)
      machine.distance[a * zones + b] = machine.distance[b * zones + a] = Distance(distances, a, b, dice);
  }
  machine.offers.usable = machine.offers.free;
  machine.offers.even = distances == Distances::kEven;
  machine.offers.nearest = distances == Distances::kNoise ? 20 : 24;
  return machine;
}

void SelectZonesOfANode(benchmark::State& state) {
  std::mt19937_64 dice(1);
  std::vector<Machine> nodes;
  std::vector<std::vector<int64_t>> requests;
  for (int i = 0; i < 32; ++i) {
    Machine& node = nodes.emplace_back(Make(static_cast<size_t>(state.range(0)), static_cast<size_t>(state.range(1)),
                                            Distances(state.range(3)), Figures(state.range(4)), dice));
    std::vector<int64_t>& request = requests.emplace_back();
    for (size_t r = 0; r < node.offers.resources; ++r) {
      int64_t sum = 0;
      for (size_t zone = 0; zone < node.offers.size(); ++zone) sum += node.offers.Usable(zone, r);
      request.push_back(sum * state.range(2) / 100'000 * 1000);
    }
  }
  for (Machine& node : nodes) node.offers.distance = node.distance;
  for (size_t i = 0; auto _ : state) {
    benchmark::DoNotOptimize(SelectZones(nodes[i % nodes.size()].offers, requests[i % nodes.size()], false));
    ++i;
  }
}

void Cases(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"zones", "resources", "percent", "distances", "figures"});
  bench->ArgsProduct({{2, 8}, {1}, {50, 90}, {1, 2}, {1}});
  bench->ArgsProduct({{12, 13}, {1, 3}, {50}, {2}, {0, 1}});
  bench->ArgsProduct({{36, 64}, {1, 3}, {50, 90}, {1, 2}, {1, 2}});
}
BENCHMARK(SelectZonesOfANode)->Apply(Cases)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace huygens::topology
