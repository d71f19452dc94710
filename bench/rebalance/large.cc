#include "bench/rebalance/large.h"

#include <time.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "placement/placement.h"
#include "rescheduling/planner.h"
#include "usage/workload.h"

namespace huygens::bench {

namespace {

constexpr int kNodes = 10'000, kPodsPerNode = 15, kWorkloads = 15'000, kHot = 200;
constexpr int64_t kCores = 32;
constexpr int64_t kFirstSlot = int64_t{52 * 56} * 672;
constexpr Duration kSlot = std::chrono::minutes(15);
constexpr Time kEnd{(kFirstSlot + 672) * kSlot};

// Of this thread's CPU, so that others on the machine do not count.
double Milliseconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
}

double ResidentMegabytes() {
  std::ifstream file("/proc/self/statm");
  long pages = 0, resident = 0;
  file >> pages >> resident;
  return static_cast<double>(resident) * 4096 / 1e6;
}

double Percentile(std::vector<double>& values, double share) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  return values[static_cast<size_t>(share * static_cast<double>(values.size() - 1))];
}

std::string Workload(int number) { return "w" + std::to_string(number); }

// Daily waves whose height and hour differ from workload to workload.
void TellHistory(placement::Placement& placement, std::mt19937& dice) {
  std::vector<double> height(kWorkloads), hour(kWorkloads);
  for (int w = 0; w < kWorkloads; ++w) {
    height[w] = 0.3 + static_cast<double>(dice() % 1000) / 1000 * 1.4;
    hour[w] = static_cast<double>(dice() % 96);
  }
  for (int s = 0; s < 672; ++s) {
    for (size_t r = 0; r < 2; ++r) {
      usage::Readings readings{.resource = r, .slot = kFirstSlot + s, .measured = kEnd};
      for (int w = 0; w < kWorkloads; ++w) {
        const double wave = 0.6 + 0.4 * std::cos((s - hour[w]) * 6.283 / 96);
        const double amount = r == 0 ? height[w] * wave * 1000 : height[w] * 4e9;
        readings.workloads.push_back(
            {usage::WorkloadOf("bench", "", "Application", Workload(w), ""), static_cast<int64_t>(amount)});
        if (readings.workloads.size() < usage::kReadingsPerBatch && w + 1 < kWorkloads) continue;
        placement.ApplyUsage(readings, kEnd);
        readings.workloads.clear();
      }
    }
  }
  placement.SettleUsage();
}

void Bind(placement::Placement& placement, int number, int workload, const std::string& node) {
  auto pod = std::make_shared<cluster::Pod>();
  pod->name = "pod-" + std::to_string(number);
  pod->uid = pod->name;
  pod->namespace_name = "bench";
  pod->owner_kind = "Application";
  pod->owner_name = Workload(workload);
  pod->node_name = node;
  pod->phase = cluster::PodPhase::kRunning;
  placement.Apply(cluster::PodSet{pod});
}

struct Asked {
  std::vector<double> milliseconds;
};

// One filter of a pod over all nodes.
void Ask(placement::Placement& placement, const std::vector<std::string_view>& names, int number, Asked& asked) {
  cluster::Pod pod;
  pod.name = pod.uid = "new-" + std::to_string(number);
  pod.namespace_name = "bench";
  pod.owner_kind = "Application";
  pod.owner_name = Workload(number * 97 % kWorkloads);
  const double begin = Milliseconds();
  (void)placement.Filter(pod, names, kEnd);
  asked.milliseconds.push_back(Milliseconds() - begin);
}

}  // namespace

int PlanForLargeCluster() {
  placement::Options options;
  options.checks = {"usage"};
  options.terms = {};
  options.usage.stale_after = std::chrono::hours(24);
  options.usage.resources = {{.name = "cpu", .resource = kCpu, .ceiling = 800'000},
                             {.name = "memory", .resource = kMemory, .ceiling = 900'000}};
  auto made = placement::Placement::Create(std::move(options));
  if (!made.ok()) return std::printf("%s\n", made.status().ToString().c_str()), 1;
  placement::Placement& placement = **made;
  std::mt19937 dice(1);
  std::vector<std::string> node_names;
  for (cluster::Kind kind : cluster::kKinds) placement.Apply(cluster::ListBegin{kind});
  for (int n = 0; n < kNodes; ++n) {
    node_names.push_back("node-" + std::to_string(n));
    placement.Apply(
        cluster::NodeSet{{.name = node_names.back(),
                          .uid = node_names.back(),
                          .allocatable = {{kCpu, kCores * 1000}, {kMemory, 256'000'000'000}, {kPodSlots, 200}}}});
  }
  TellHistory(placement, dice);
  int pods = 0;
  for (int n = 0; n < kNodes; ++n) {
    for (int p = 0; p < kPodsPerNode; ++p)
      Bind(placement, pods++, static_cast<int>(dice() % kWorkloads), node_names[n]);
  }
  for (cluster::Kind kind : cluster::kKinds) placement.Apply(cluster::ListEnd{kind});
  // Of some nodes the ceiling falls below what they use.
  for (int n = 0; n < kHot; ++n) {
    const int at = n * (kNodes / kHot);
    const auto use = placement.usage().Use(*placement.state().FindNode(node_names[at]), 0, kEnd);
    placement.Apply(
        cluster::NodeSet{{.name = node_names[at],
                          .uid = node_names[at],
                          .allocatable = {{kCpu, kCores * 1000}, {kMemory, 256'000'000'000}, {kPodSlots, 200}},
                          .usage_ceilings = {{"cpu", use.peak * usage::kMillion * 95 / 100 / (kCores * 1000)}}}});
  }

  std::vector<std::string_view> names(node_names.begin(), node_names.end());
  Asked before, during;
  for (int i = 0; i < 2000; ++i) Ask(placement, names, i, before);
  const rescheduling::Facts facts;
  rescheduling::Planner planner(placement, facts);
  double resident = ResidentMegabytes(), most = resident, all = 0;
  std::vector<double> steps;
  planner.Begin(kEnd);
  for (bool more = true; more;) {
    const double begin = Milliseconds();
    more = planner.Step(kEnd);
    steps.push_back(Milliseconds() - begin);
    all += steps.back();
    if (steps.size() % 16 == 0) most = std::max(most, ResidentMegabytes());
  }
  std::printf("%d nodes, %d pods, %d workloads, 672 slots: %zu nodes above their ceiling, %zu moves, %zu nodes stuck\n",
              kNodes, pods, kWorkloads, planner.hot_nodes(), planner.queue().size(), planner.stuck().size());
  const size_t count = steps.size();
  const double p99 = Percentile(steps, 0.99);
  std::printf("plan %.0f ms of CPU in %zu steps, p99 %.3f ms, longest %.3f ms; resident + %.1f MB\n", all, count, p99,
              steps.back(), most - resident);

  // A step before each request, as between requests of a busy extender: what a request waits for at most.
  planner.Clear();
  planner.Begin(kEnd);
  for (int i = 0; i < 2000; ++i) {
    const double begin = Milliseconds();
    if (!planner.Step(kEnd)) {
      planner.Clear();
      planner.Begin(kEnd);
    }
    const double waited = Milliseconds() - begin;
    Ask(placement, names, i, during);
    during.milliseconds.back() += waited;
  }
  const double without = Percentile(before.milliseconds, 0.99), with = Percentile(during.milliseconds, 0.99);
  std::printf("filter of all nodes, p99 of CPU: %.3f ms, and %.3f ms behind a step of a plan\n", without, with);
  return 0;
}

}  // namespace huygens::bench
