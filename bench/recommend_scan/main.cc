// One scan of what pods use, as `huygens controller` makes it: answers of metrics.k8s.io decoded, samples added to the
// histories of their workloads, and whether a recommendation moved; how long, and how much memory all that is known takes.
//
// Usage: huygens_recommend_scan_bench [WORKLOADS [PODS]]    (10000 workloads of 10 pods each)
#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "base/text.h"
#include "recommendations/measured_pod.h"
#include "recommendations/pod_use.h"
#include "recommendations/target_status.h"
#include "recommendations/targets.h"

namespace huygens::recommendations {

namespace {

constexpr size_t kPerNamespace = 100;  // workloads
constexpr Time kStart{std::chrono::sys_days(std::chrono::year(2026) / 3 / 2)};

// Of what is in use: what was freed goes back first.
double ResidentMib() {
  malloc_trim(0);
  std::ifstream in("/proc/self/statm");
  long total = 0, resident = 0;
  in >> total >> resident;
  return static_cast<double>(resident * sysconf(_SC_PAGESIZE)) / (1 << 20);
}

double CpuSeconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec) + static_cast<double>(usage.ru_utime.tv_usec) / 1e6;
}

std::string NamespaceOf(size_t workload) { return Concat("team-", std::to_string(workload / kPerNamespace)); }
std::string PodOf(size_t workload, size_t pod) {
  return Concat("service-", std::to_string(workload), "-6d4b75cb6d-", std::to_string(10'000 + pod));
}

std::string PodJson(size_t workload, size_t pod) {
  const std::string name = Concat("service-", std::to_string(workload));
  return Concat(
      R"({"metadata":{"name":")", PodOf(workload, pod), R"(","namespace":")", NamespaceOf(workload),
      R"(","uid":"1c0fbbd0-0000-4000-8000-)", std::to_string(100'000'000'000 + workload * 1000 + pod),
      R"(","creationTimestamp":"2026-03-01T00:00:00Z","labels":{"app":")", name,
      R"(","pod-template-hash":"6d4b75cb6d","huygens.dev/pool":"shared"},"ownerReferences":[)",
      R"({"apiVersion":"apps/v1","kind":"ReplicaSet","name":")", name,
      R"(-6d4b75cb6d","uid":"r","controller":true}]},"spec":{"nodeName":"n","containers":[)",
      R"({"name":"app","resources":{"requests":{"cpu":"4","memory":"8Gi"},"limits":{"cpu":"4","memory":"8Gi"}}},)",
      R"({"name":"sidecar","resources":{"requests":{"cpu":"100m","memory":"128Mi"}}}]},"status":{"phase":"Running",)",
      R"("containerStatuses":[{"name":"app","state":{"running":{}}},{"name":"sidecar","state":{"running":{}}}]}})");
}

// The pods of one namespace, as metrics-server answers.
std::string MetricsJson(size_t first, size_t end, size_t pods, Time time, size_t round) {
  std::string out = R"({"kind":"PodMetricsList","apiVersion":"metrics.k8s.io/v1beta1","metadata":{},"items":[)";
  for (size_t workload = first; workload < end; ++workload) {
    for (size_t pod = 0; pod < pods; ++pod) {
      if (out.back() != '[') out += ',';
      const size_t milli = 400 + (workload * 37 + pod * 11 + round * 53) % 900;
      out += Concat(R"({"metadata":{"name":")", PodOf(workload, pod), R"(","namespace":")", NamespaceOf(workload),
                    R"(","creationTimestamp":"2026-03-02T12:00:00Z"},"timestamp":")", FormatRfc3339(time),
                    R"(","window":"15.2s","containers":[{"name":"app","usage":{"cpu":")",
                    std::to_string(milli * 1'000'000), R"(n","memory":"1572864Ki"}},)",
                    R"({"name":"sidecar","usage":{"cpu":"1234567n","memory":"65536Ki"}}]})");
    }
  }
  return out + "]}";
}

void Run(size_t workloads, size_t pods) {
  settings::OvercommitConfiguration configuration;
  configuration.mode = settings::OvercommitMode::kReport;
  size_t moved = 0;
  Targets targets{settings::OvercommitPools(configuration), [&](const std::string&) { ++moved; }};
  const ResourceNames names;
  const double empty = ResidentMib();
  targets.SetTemplate(
      *recommendation_api::DecodeRecommendationTemplate(R"({"metadata":{"name":"all","uid":"t"},"spec":{}})"));
  for (size_t workload = 0; workload < workloads; ++workload) {
    for (size_t pod = 0; pod < pods; ++pod) targets.SetPod(*DecodeMeasuredPod(PodJson(workload, pod), names));
  }
  const double with_pods = ResidentMib();
  std::vector<std::string> keys;
  targets.ForEach([&](const TargetState& target) { keys.push_back(target.key); });
  for (const std::string& key : keys) targets.Begin(*targets.Find(key), std::nullopt);
  keys = {};
  double decode = 0, take = 0, largest = 0;
  constexpr size_t kRounds = 10;
  for (size_t round = 0; round < kRounds; ++round) {
    const Time now = kStart + std::chrono::minutes(round + 1);
    decode = take = 0;
    targets.BeginScan();
    for (size_t first = 0; first < workloads; first += kPerNamespace) {
      const std::string json = MetricsJson(first, std::min(workloads, first + kPerNamespace), pods, now, round);
      const double begin = CpuSeconds();
      const PodUses uses = *DecodePodMetricsList(json);
      const double decoded = CpuSeconds();
      targets.Take(uses.pods, now);
      take += CpuSeconds() - decoded;
      decode += decoded - begin;
    }
    largest = std::max(largest, decode + take);
  }
  const double before = CpuSeconds();
  size_t ready = 0;
  targets.ForEach([&](const TargetState& target) {
    ready += StatusOf(target, targets.pools(), kStart + std::chrono::hours(1)).cpu.has_value() ? 1 : 0;
  });
  const double statuses = CpuSeconds() - before;
  std::printf("%zu workloads of %zu pods, %zu with a recommendation\n", workloads, pods, ready);
  std::printf("one scan: %.3f s of a core (decoding %.3f, histories %.3f); the longest of %zu: %.3f s\n", decode + take,
              decode, take, kRounds, largest);
  const double all = ResidentMib();
  std::printf("memory: %.1f MiB, of that %.1f for pods and targets before the first sample\n", all - empty,
              with_pods - empty);
  std::printf("all statuses anew: %.3f s; recommendations that moved: %zu\n", statuses, moved);
}

}  // namespace

}  // namespace huygens::recommendations

int main(int count, char** arguments) {
  size_t workloads = 10'000, pods = 10;
  const auto read = [](const char* text, size_t& out) {
    const std::string_view view(text);
    std::from_chars(view.data(), view.data() + view.size(), out);
  };
  if (count > 1) read(arguments[1], workloads);
  if (count > 2) read(arguments[2], pods);
  huygens::recommendations::Run(workloads, pods);
  return 0;
}
