// What one poll of a Prometheus costs: seconds, bytes on the wire, memory here, processor time and memory there.
// tools/bench_prometheus starts a Prometheus with many series and runs this.
//
// Usage: huygens_prometheus_bench URL NOW    NOW: seconds since 1970, a little after the newest sample
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include "net/client.h"
#include "usage_sources/prometheus_source.h"

namespace huygens {
namespace {

using std::chrono::minutes;

// In MB, of this process: "VmHWM" is the most it ever had.
double Memory(const std::string& which) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(which)) return std::strtod(line.c_str() + line.find_first_of("0123456789"), nullptr) / 1024;
  }
  return 0;
}

// A metric that Prometheus has of itself.
double Own(net::Client& client, const std::string& name) {
  const auto reply = client.Call("GET", "/metrics", "", {}, minutes(1));
  if (!reply.ok()) return 0;
  const size_t at = reply->body.find("\n" + name + " ");
  return at == std::string::npos ? 0 : std::strtod(reply->body.c_str() + at + name.size() + 2, nullptr);
}

int Run(const std::string& url, Time now) {
  usage_sources::PlacedPods known(usage_sources::PlacedPods::Which::kOwnerNotInName);
  usage_sources::PrometheusOptions options{.server = {.base_url = url}, .usage = {.slots = 8}, .timeout = minutes(5)};
  options.usage.resources = {{.name = "cpu", .resource = kCpu}, {.name = "memory", .resource = kMemory}};
  auto source = usage_sources::PrometheusSource::Create(options, known);
  auto metrics = net::Client::Create({.base_url = url});
  if (!source.ok() || !metrics.ok()) return 1;
  std::printf("%-34s %8s %8s %9s %10s %10s %12s %12s\n", "", "seconds", "queries", "MB wire", "workloads", "nodes",
              "there: CPU s", "there: MB");
  const auto poll = [&](const char* what, Time at) {
    const auto traffic = (*source)->traffic();
    const double cpu = Own(**metrics, "process_cpu_seconds_total");
    const auto begin = std::chrono::steady_clock::now();
    size_t workloads = 0, nodes = 0;
    StatusOr<usage_sources::Progress> progress = (*source)->Refresh(at, [&](const usage::Readings& readings) {
      workloads += readings.workloads.size();
      nodes += readings.nodes.size();
    });
    while (progress.ok() && progress->more) {
      progress = (*source)->Refresh(at, [&](const usage::Readings& readings) {
        workloads += readings.workloads.size();
        nodes += readings.nodes.size();
      });
    }
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    if (!progress.ok()) {
      std::printf("%s: %s\n", what, std::string(progress.status().message()).c_str());
      return;
    }
    std::printf("%-34s %8.2f %8llu %9.2f %10zu %10zu %12.2f %12.0f\n", what, took.count(),
                static_cast<unsigned long long>((*source)->traffic().queries - traffic.queries),
                static_cast<double>((*source)->traffic().bytes - traffic.bytes) / 1e6, workloads, nodes,
                Own(**metrics, "process_cpu_seconds_total") - cpu,
                Own(**metrics, "process_resident_memory_bytes") / 1e6);
    for (const std::string& notice : progress->notices) std::printf("  %s\n", notice.c_str());
  };
  const double before = Memory("VmRSS");
  const Time slot = std::chrono::floor<minutes>(now - (now.time_since_epoch() % minutes(15)));
  poll("start: two hours of history, now", slot + minutes(4));
  for (int i = 0; i < 3; ++i) poll("a poll", slot + minutes(4) + std::chrono::seconds(10 + i));
  poll("a poll after a slot has closed", slot + minutes(5));
  std::printf("memory here: %.0f MB at most, %.0f MB before the first poll\n", Memory("VmHWM"), before);
  return 0;
}

}  // namespace
}  // namespace huygens

int main(int count, char** arguments) {
  if (count != 3) {
    std::fprintf(stderr, "usage: huygens_prometheus_bench URL NOW\n");
    return 2;
  }
  return huygens::Run(arguments[1], huygens::Time(std::chrono::seconds(std::atoll(arguments[2]))));
}
