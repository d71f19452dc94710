#include "bench/nominated.h"

#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "bench/cluster.h"
#include "bench/times.h"

namespace huygens::bench {
namespace {

constexpr int kCalls = 500;

cluster::Pod NominatedPod(size_t index, size_t node) {
  cluster::Pod pod = PodOf(0);
  pod.name = pod.uid = Concat("nominated-", std::to_string(index));
  pod.nominated_node = NodeName(node);
  pod.priority = 1000;
  return pod;
}

}  // namespace

void ReportNominated(size_t nodes, size_t pods) {
  std::vector<std::string> texts;
  for (size_t n = 0; n < nodes / 2; ++n) texts.push_back(NodeName(n));
  const std::vector<std::string_view> half(texts.begin(), texts.end());
  const Time now(std::chrono::hours(1));
  const cluster::Pod asking = PodOf(0);
  std::printf("filter while pods are nominated to the other half of %zu nodes, %d calls each\n", nodes, kCalls);
  for (size_t nominated : {size_t{0}, size_t{100}, size_t{1000}, size_t{4000}}) {
    auto placement = *placement::Placement::Create({});
    Fill(*placement, nodes, pods);
    for (size_t i = 0; i < nominated; ++i) {
      placement->Apply(
          cluster::PodSet{std::make_shared<const cluster::Pod>(NominatedPod(i, nodes / 2 + i % (nodes - nodes / 2)))});
    }
    Times of_one, of_half;
    for (int i = 0; i < kCalls; ++i) {
      of_one.Add([&] { (void)placement->Filter(asking, std::span(half).first(1), now); });
      of_half.Add([&] { (void)placement->Filter(asking, half, now); });
    }
    std::printf("  %5zu nominated: of 1 name %8.2f us, of %zu names %8.2f us\n", nominated, of_one.Middle(),
                half.size(), of_half.Middle());
  }
}

}  // namespace huygens::bench
