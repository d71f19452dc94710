// What filter and prioritize cost over HTTP, against an echo that receives and sends the same bytes through the same
// server in the same run, interleaved (echo, verb, echo, verb ...), and with placement by real usage against without.
// The ratios count; absolute times only say on which machine they were made.
//
// Usage: huygens_bench [NAMES...]      default: 500 5000 names per call, on a cluster of 5000 nodes with 50 000 pods
//        huygens_bench quota           what the check "quota" adds to a filter of 5000 names, in one process
//        huygens_bench usage           what the check "usage" adds to it, likewise
//        huygens_bench checks          filter with other checks, modes and lacks than "topology" alone, over HTTP, too
//        huygens_bench nominated       filter while pods are nominated to other nodes, in one process
//        huygens_bench relist          filter of 5000 names while 150 000 pods are listed anew, or 2000 a second change
//        huygens_bench scale [NODES...] [--pods=N]    all of it on 500 to 100 000 nodes, by node and pod (bench/scale.h)
//        huygens_bench memory          what 150 000 pods of 15 000 workloads with a week of history take
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <thread>
#include <vector>

#include "bench/checks.h"
#include "bench/cluster.h"
#include "bench/connection.h"
#include "bench/host.h"
#include "bench/nominated.h"
#include "bench/quota.h"
#include "bench/relist.h"
#include "bench/scale.h"
#include "bench/times.h"
#include "bench/usage.h"

namespace huygens::bench {

namespace {

constexpr size_t kNodes = 5000;
constexpr size_t kPods = 50'000;
constexpr int kRounds = 5;

// The bodies in turns.
using Bodies = std::vector<std::string>;

void Measure(Connection& connection, std::string_view path, const Bodies& bodies, int calls, Times& into) {
  for (int i = 0; i < calls; ++i) {
    const std::string& body = bodies[static_cast<size_t>(i) % bodies.size()];
    into.Add([&] { (void)connection.Post(path, body); });
  }
}

void Report(const char* what, const Times& times) {
  std::printf("  %-18s median %8.1f  MAD %6.1f  p99 %8.1f  min %8.1f  max %9.1f us\n", what, times.Middle(),
              times.Spread(), times.At(0.99), times.At(0), times.At(1));
}

struct Side {
  const char* name;
  Connection& connection;
  std::string path;
};

// Calls the one, the other, the one ...; how many times the first side's the second's time is.
void Compare(const Side& base, const Side& other, size_t names, const Bodies& bodies) {
  const size_t answer = other.connection.Post(other.path, bodies[0]).size();
  int calls = names > 2000 ? 200 : 1000;
  Times warm_up;
  Measure(base.connection, base.path, bodies, calls / 4, warm_up);
  Measure(other.connection, other.path, bodies, calls / 4, warm_up);
  Times of_base;
  Times of_other;
  std::vector<double> ratios;
  for (int round = 0; round < kRounds; ++round) {
    Times base_round;
    Times other_round;
    Measure(base.connection, base.path, bodies, calls, base_round);
    Measure(other.connection, other.path, bodies, calls, other_round);
    ratios.push_back(other_round.Middle() / base_round.Middle());
    of_base.microseconds.insert(of_base.microseconds.end(), base_round.microseconds.begin(),
                                base_round.microseconds.end());
    of_other.microseconds.insert(of_other.microseconds.end(), other_round.microseconds.begin(),
                                 other_round.microseconds.end());
  }
  auto [least, most] = std::minmax_element(ratios.begin(), ratios.end());
  std::printf("%s of %zu names: %zu bytes in, %zu bytes out, %d x %d calls\n", other.path.c_str() + 1, names,
              bodies[0].size(), answer, kRounds, calls);
  Report(base.name, of_base);
  Report(other.name, of_other);
  std::printf("  ratio              median %8.2f  (rounds %.2f to %.2f)\n", Median(ratios), *least, *most);
}

void AgainstEcho(Connection& connection, const char* verb, size_t names) {
  const std::string body = RequestBody(names);
  const std::string path = Concat("/", verb);
  const std::string echo = Concat("/echo/", std::to_string(connection.Post(path, body).size()));
  Compare({"echo", connection, echo}, {verb, connection, path}, names, {body});
}

// What the check and the terms of real usage cost, on nodes as full as that.
void AgainstNoUsage(Connection& without, Fullness fullness) {
  Host host(WithUsage(), kNodes, kPods, fullness);
  Connection with(host.port());
  std::printf("a week of use: %s\n", Text(fullness));
  const std::string body = RequestBody(kNodes);
  Bodies of_many_workloads;
  for (size_t twin = 0; twin < kTwins; ++twin) of_many_workloads.push_back(RequestBody(kNodes, TwinOf(kPods, twin)));
  std::printf("pods of one workload, ");
  Compare({"without", without, "/filter"}, {"with usage", with, "/filter"}, kNodes, {body});
  std::printf("pods of %zu workloads in turns, ", kTwins);
  Compare({"without", without, "/filter"}, {"with usage", with, "/filter"}, kNodes, of_many_workloads);
  Compare({"without", without, "/prioritize"}, {"with usage", with, "/prioritize"}, kNodes, {body});
  if (fullness != Fullness::kTypical) return;
  AgainstEcho(with, "filter", kNodes);
  AgainstEcho(with, "prioritize", kNodes);
}

int Checks() {
  ReportChecks(kNodes, kPods);
  ResourceNames names;
  const std::vector<Setting> settings = Settings(kNodes, kPods, names);
  Host base_host(settings.front().options, settings.front().fill);
  Connection base(base_host.port());
  const Bodies bodies = {RequestBody(kNodes, TwinOf(kPods))};
  for (const Setting& setting : settings) {
    Host host(setting.options, setting.fill);
    Connection connection(host.port());
    std::printf("%s: ", setting.name);
    Compare({"topology alone", base, "/filter"}, {"this", connection, "/filter"}, kNodes, bodies);
  }
  return 0;
}

int Memory() {
  constexpr size_t kManyPods = 150'000;
  Host host(WithUsage(), kNodes, kManyPods, Fullness::kTypical);
  std::printf("resident with %zu nodes, %zu pods, %zu workloads with a week of cpu and memory: %.0f MB\n", kNodes,
              kManyPods, kManyPods / kPodsOfDeployment, ResidentMegabytes());
  return 0;
}

// Filter while pods are delivered; quiet ones before and after show what the machine does meanwhile.
int Relist() {
  constexpr size_t kManyPods = 150'000;
  constexpr auto kSpan = std::chrono::seconds(15);  // several LISTs
  Host host({}, kNodes, kManyPods);
  Connection connection(host.port());
  const Bodies bodies = {RequestBody(kNodes)};
  std::printf("filter of %zu names, %zu pods, while there come\n", kNodes, kManyPods);
  for (const Stream stream : {Stream::kNothing, Stream::kSameAgain, Stream::kChanged, Stream::kHalf, Stream::kNothing,
                              Stream::kEvents, Stream::kNothing}) {
    std::atomic<bool> stop = false;
    size_t delivered = 0;
    std::thread reflector([&] { delivered = Deliver(stream, kNodes, kManyPods, host.queue(), stop); });
    Times times, wait;
    const auto end = std::chrono::steady_clock::now() + kSpan;
    while (std::chrono::steady_clock::now() < end) {
      const double before = host.CpuMicroseconds();
      Measure(connection, "/filter", bodies, 1, times);
      wait.microseconds.push_back(host.CpuAtRequest() - before);
    }
    stop = true;
    reflector.join();
    for (Times rest; host.queue().waiting_bytes() > 0;) Measure(connection, "/filter", bodies, 1, rest);
    Report(Text(stream), times);
    Report("  until it was read", wait);
    if (delivered > 0) std::printf("    %zu of them\n", delivered);
  }
  return 0;
}

int Run(int argc, char** argv) {
  std::vector<size_t> sizes;
  if (argc > 1 && std::string_view(argv[1]) == "scale") return ReportScale({argv + 2, argv + argc});
  if (argc > 1 && std::string_view(argv[1]) == "memory") return Memory();
  if (argc > 1 && std::string_view(argv[1]) == "checks") return Checks();
  if (argc > 1 && std::string_view(argv[1]) == "relist") return Relist();
  if (argc > 1 && std::string_view(argv[1]) == "usage") return ReportUsage(kNodes, kPods), 0;
  if (argc > 1 && std::string_view(argv[1]) == "nominated") return ReportNominated(kNodes, kPods), 0;
  if (argc > 1 && std::string_view(argv[1]) == "quota") return ReportQuota(kNodes, kPods), 0;
  for (int i = 1; i < argc; ++i) sizes.push_back(std::stoul(argv[i]));
  if (sizes.empty()) sizes = {500, 5000};
  net::IgnoreBrokenPipes();
  double before = ResidentMegabytes();
  Host host({}, kNodes, kPods);
  double after = ResidentMegabytes();
  std::printf("cluster: %zu managed nodes of 2, 4 or 8 zones, %zu pods; resident %.0f MB (%.0f MB before)\n", kNodes,
              kPods, after, before);
  Connection connection(host.port());
  for (size_t names : sizes) {
    AgainstEcho(connection, "filter", names);
    AgainstEcho(connection, "prioritize", names);
  }
  std::printf("resident after the runs: %.0f MB\n", ResidentMegabytes());
  for (Fullness fullness : {Fullness::kTypical, Fullness::kCurves, Fullness::kToTheBrim}) {
    AgainstNoUsage(connection, fullness);
  }
  ReportUsage(kNodes, kPods);
  ReportQuota(kNodes, kPods);
  ReportNominated(kNodes, kPods);
  return 0;
}

}  // namespace
}  // namespace huygens::bench

int main(int argc, char** argv) { return huygens::bench::Run(argc, argv); }
