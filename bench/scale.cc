#include "bench/scale.h"

#include <malloc.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "bench/cluster.h"
#include "bench/connection.h"
#include "bench/host.h"
#include "bench/times.h"
#include "kube/decoded_object.h"
#include "wire/list.h"

namespace huygens::bench {
namespace {

using cluster::Kind;

constexpr size_t kPage = 500;  // as the reflectors ask for it
constexpr size_t kPodsOfNode = 10;
constexpr size_t kChanges = 4000;
constexpr size_t kBinds = 500;

double OwnMicroseconds() { return MicrosecondsOf(CLOCK_THREAD_CPUTIME_ID); }

double HeapBytes() { return static_cast<double>(mallinfo2().uordblks) + static_cast<double>(mallinfo2().hblkhd); }

// CPU time of the parts of a LIST, and what stays of it on the heap.
struct Listed {
  double decode = 0, apply = 0;  // microseconds
  double heap = 0, bytes = 0;
};

std::string PageOf(std::string (*object)(size_t index, size_t nodes), size_t from, size_t to, size_t nodes) {
  std::string page = R"({"kind":"List","metadata":{"resourceVersion":"2"},"items":[)";
  for (size_t i = from; i < to; ++i) page += Concat(i == from ? "" : ",", object(i, nodes));
  return page += "]}";
}

Listed List(placement::Placement& placement, Kind kind, std::string (*object)(size_t index, size_t nodes), size_t count,
            size_t nodes, ResourceNames& names) {
  Listed listed;
  const double heap = HeapBytes();
  placement.Apply(cluster::ListBegin{kind});
  for (size_t from = 0; from < count; from += kPage) {
    const std::string page = PageOf(object, from, std::min(count, from + kPage), nodes);
    listed.bytes += static_cast<double>(page.size());
    const double start = OwnMicroseconds();
    std::vector<cluster::WatchEvent> events;
    events.reserve(kPage);
    const StatusOr<wire::ObjectList> list = wire::DecodeList(page);
    for (const wire::ListItem& item : list->items) {
      events.push_back(*kube::DecodePresent(kind, item.text, names, kFilledVersion).event);
    }
    const double decoded = OwnMicroseconds();
    for (const cluster::WatchEvent& event : events) placement.Apply(event);
    listed.decode += decoded - start;
    listed.apply += OwnMicroseconds() - decoded;
  }
  placement.Apply(cluster::ListEnd{kind});
  listed.heap = HeapBytes() - heap;
  return listed;
}

void Report(const char* kind, size_t count, const Listed& listed) {
  const auto objects = static_cast<double>(count);
  std::printf(
      "  LIST of %-10s %8zu, %5.0f bytes each: decode %6.2f us, apply %6.2f us each; together %8.0f ms, kept %6.0f "
      "bytes each, %7.1f MB\n",
      kind, count, listed.bytes / objects, listed.decode / objects, listed.apply / objects,
      (listed.decode + listed.apply) / 1000, listed.heap / objects, listed.heap / 1e6);
}

// Calls on one thread, without the network: CPU time.
template <typename Call>
double Quickest(int calls, Call call) {
  std::vector<double> times;
  for (int i = 0; i < calls; ++i) {
    const double start = OwnMicroseconds();
    call();
    times.push_back(OwnMicroseconds() - start);
  }
  return Median(times);
}

void Decisions(placement::Placement& placement, size_t nodes, int calls, Time now) {
  std::vector<std::string> texts;
  texts.reserve(nodes);
  for (size_t n = 0; n < nodes; ++n) texts.push_back(NodeName(n));
  const std::vector<std::string_view> names(texts.begin(), texts.end());
  const cluster::Pod pod = PodOf(0);
  const double filter = Quickest(calls, [&] { (void)placement.Filter(pod, names, now); });
  const double prioritize = Quickest(calls, [&] { (void)placement.Prioritize(pod, names, now); });
  const auto each = 1000 / static_cast<double>(nodes);
  std::printf("  decision alone: filter %9.1f us, %5.1f ns a name; prioritize %9.1f us, %5.1f ns a name\n", filter,
              filter * each, prioritize, prioritize * each);
}

void Verb(Host& host, Connection& connection, const char* path, const std::string& body, size_t nodes, int calls) {
  const size_t answer = connection.Post(path, body).size();
  std::vector<double> work;
  Times times;
  for (int i = 0; i < calls; ++i) {
    const double before = host.CpuMicroseconds();
    times.Add([&] { (void)connection.Post(path, body); });
    work.push_back(host.CpuMicroseconds() - before);
  }
  const double median = Median(work);
  const auto names = static_cast<double>(nodes);
  std::printf(
      "  %-11s over HTTP: %6.1f bytes in, %5.1f out a name; thread %9.1f us, %6.1f ns a name; by the clock median "
      "%9.1f, p99 %9.1f us\n",
      path + 1, static_cast<double>(body.size()) / names, static_cast<double>(answer) / names, median,
      median * 1000 / names, times.Middle(), times.At(0.99));
}

// Each pod is shown by a filter of one name first, as kube-scheduler does.
void Binds(Host& host, Connection& connection, size_t nodes, size_t pods) {
  std::vector<std::string> bodies;
  for (size_t i = 0; i < kBinds; ++i) {
    const cluster::Pod pod = PodOf(TwinOf(pods, kTwins + i));
    (void)connection.Post("/filter", RequestBody(1, TwinOf(pods, kTwins + i)));
    const std::string json = PodJson(TwinOf(pods, kTwins + i));
    const auto text = [&json](std::string_view key) {
      const size_t from = json.find(key) + key.size();
      return json.substr(from, json.find('"', from) - from);
    };
    bodies.push_back(
        Concat(R"({"PodName":")", text(R"({"metadata":{"name":")"), R"(","PodNamespace":"production","PodUID":")",
               text(R"("uid":"d5677970)").insert(0, "d5677970"), R"(","Node":")", NodeName(i * 7919 % nodes), R"("})"));
  }
  Times times;
  size_t refused = 0;
  const double before = host.CpuMicroseconds();
  for (const std::string& body : bodies) {
    std::string_view answer;
    times.Add([&] { answer = connection.Post("/bind", body); });
    if (answer.find(R"("Error":"")") == std::string_view::npos) ++refused;
  }
  std::printf(
      "  bind        over HTTP: thread %6.1f us each; by the clock median %6.1f, p99 %8.1f us; %zu of %zu refused\n",
      (host.CpuMicroseconds() - before) / static_cast<double>(kBinds), times.Middle(), times.At(0.99), refused, kBinds);
}

// Pods that change, as a watch shows them: decoded by a reflector's thread, applied by the one that decides.
void Changes(Host& host, size_t nodes, size_t pods) {
  ResourceNames names;
  const double before = host.CpuMicroseconds();
  double decode = 0;
  for (size_t i = 0; i < kChanges; ++i) {
    const std::string json = BoundPodJson(i * 7919 % pods, nodes);
    const double start = OwnMicroseconds();
    kube::WatchEventBatch batch{.kind = Kind::kPod};
    batch.events.push_back(*kube::DecodePresent(Kind::kPod, json, names, kFilledVersion + 1 + i).event);
    batch.bytes = json.size();
    decode += OwnMicroseconds() - start;
    host.queue().Deliver(std::move(batch));
  }
  while (host.queue().waiting_bytes() > 0) std::this_thread::yield();
  std::printf("  changes of pods: decode %5.2f us, apply %5.2f us each\n", decode / static_cast<double>(kChanges),
              (host.CpuMicroseconds() - before) / static_cast<double>(kChanges));
}

void ReportOne(size_t nodes, size_t pods) {
  std::printf("%zu nodes, %zu pods\n", nodes, pods);
  const int calls = static_cast<int>(std::clamp<size_t>(2'000'000 / nodes, 30, 1000));
  Host host({}, [&](placement::Placement& placement, Time now) {
    ResourceNames names;
    const auto node = [](size_t index, size_t) { return NodeJson(index); };
    const auto topology = [](size_t index, size_t) { return TopologyJson(index); };
    Report("nodes", nodes, List(placement, Kind::kNode, node, nodes, nodes, names));
    Report("topologies", nodes, List(placement, Kind::kCraneTopology, topology, nodes, nodes, names));
    Report("pods", pods, List(placement, Kind::kPod, BoundPodJson, pods, nodes, names));
    for (Kind kind : cluster::kKinds) {
      if (kind == Kind::kNode || kind == Kind::kCraneTopology || kind == Kind::kPod) continue;
      placement.Apply(cluster::ListBegin{kind});
      placement.Apply(cluster::ListEnd{kind});
    }
    Decisions(placement, nodes, calls, now);
  });
  Connection connection(host.port());
  const std::string body = RequestBody(nodes);
  Verb(host, connection, "/filter", body, nodes, calls);
  Verb(host, connection, "/prioritize", body, nodes, calls);
  Changes(host, nodes, pods);
  Binds(host, connection, nodes, pods);
  std::printf("  resident %.0f MB\n", ResidentMegabytes());
}

// Whether it ended well. Forked before this process has any thread.
bool InAProcessOfItsOwn(size_t nodes, size_t pods) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    ReportOne(nodes, pods);
    std::fflush(stdout);
    _exit(0);
  }
  int status = 0;
  return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

}  // namespace

int ReportScale(std::span<char* const> arguments) {
  size_t most_pods = 150'000;
  std::vector<size_t> sizes;
  for (std::string_view argument : arguments) {
    constexpr std::string_view kPods = "--pods=";
    const bool of_pods = argument.starts_with(kPods);
    const std::string_view digits = of_pods ? argument.substr(kPods.size()) : argument;
    size_t number = 0;
    const auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (fault != std::errc() || end != digits.data() + digits.size() || number == 0) {
      std::fprintf(stderr, "huygens_bench scale [NODES...] [--pods=N]: %s is no number above 0\n",
                   std::string(argument).c_str());
      return 1;
    }
    if (of_pods) {
      most_pods = number;
    } else {
      sizes.push_back(number);
    }
  }
  if (sizes.empty()) sizes = {500, 1000, 5000, 15'000, 50'000, 100'000};
  for (const size_t nodes : sizes) {
    if (!InAProcessOfItsOwn(nodes, std::min(most_pods, nodes * kPodsOfNode))) return 1;
  }
  return 0;
}

}  // namespace huygens::bench
