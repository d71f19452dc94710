#include "bench/usage.h"

#include <chrono>
#include <cstdio>
#include <vector>

#include "bench/cluster.h"
#include "bench/times.h"

namespace huygens::bench {
namespace {

constexpr int kCalls = 1000;

std::unique_ptr<placement::Placement> Filled(placement::Options options, size_t nodes, size_t pods) {
  auto placement = *placement::Placement::Create(std::move(options));
  Fill(*placement, nodes, pods);
  return placement;
}

}  // namespace

placement::Options WithUsage() {
  placement::Options options;
  options.checks = {"topology", "usage"};
  options.terms = {{"FewestZones", 3}, {"LeastUsed", 2}, {"Balanced", 1}};
  options.usage.resources = {{.name = "cpu", .resource = kCpu, .ceiling = 800'000},
                             {.name = "memory", .resource = kMemory, .ceiling = 900'000}};
  options.usage.stale_after = std::chrono::hours(24);
  return options;
}

void ReportUsage(size_t nodes, size_t pods) {
  std::vector<std::string> texts;
  for (size_t n = 0; n < nodes; ++n) texts.push_back(NodeName(n));
  const std::vector<std::string_view> names(texts.begin(), texts.end());
  const Time now(std::chrono::hours(24 * 365 * 50));
  std::vector<cluster::Pod> twins;
  for (size_t twin = 0; twin < kTwins; ++twin) twins.push_back(PodOf(TwinOf(pods, twin)));

  std::printf("usage, of %zu names, %d calls each in turns, without the network\n", nodes, kCalls);
  const auto without = Filled({}, nodes, pods);
  for (Fullness fullness : {Fullness::kTypical, Fullness::kCurves, Fullness::kToTheBrim, Fullness::kFull}) {
    const auto with = Filled(WithUsage(), nodes, pods);
    FillUsage(*with, nodes, pods, fullness, now);
    for (size_t workloads : {size_t{1}, size_t{2}, kTwins}) {
      Times base, other;
      for (size_t i = 0; i < kCalls; ++i) {
        const cluster::Pod& pod = twins[i % workloads];
        base.Add([&] { (void)without->Filter(pod, names, now); });
        other.Add([&] { (void)with->Filter(pod, names, now); });
      }
      std::printf("  %-62s %3zu workloads in turns: quick, median without %6.1f, %6.1f  with %6.1f, %6.1f us\n",
                  Text(fullness), workloads, base.At(0.1), base.Middle(), other.At(0.1), other.Middle());
    }
  }
}

}  // namespace huygens::bench
