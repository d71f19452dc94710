// The source and the recording rules against the real Prometheus: PromQL is not something to imitate.
#include "tests/usage_sources/real_prometheus.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "usage_sources/prometheus_source.h"

namespace huygens::usage_sources {
namespace {

using namespace std::chrono_literals;

constexpr Duration kSlot = 15min;
constexpr Time kNow{1'795'262'400s + 7min};
const int64_t kOpen = usage::SlotAt(kNow, kSlot);

#define HUYGENS_SKIP_WITHOUT(program) \
  if (!OnPath(program)) GTEST_SKIP() << "no " program " on PATH; tools/setup --prometheus installs it"

using Slots = std::map<int64_t, int64_t>;
struct Measured {
  std::map<std::string, Slots> workloads, nodes;
};

void Raise(Slots& slots, Time time, int64_t amount) {
  int64_t& highest = slots[usage::SlotAt(time, kSlot)];
  highest = std::max(highest, amount);
}

Measured MeasureAll(const std::string& url, const usage::Options& options, size_t max_reply_bytes = size_t{64} << 20,
                    const Scope& scope = {}, const ResourceQueries& own = {}) {
  PlacedPods known(PlacedPods::Which::kOwnerNotInName);
  auto source = PrometheusSource::Create({.server = {.base_url = url, .max_reply_bytes = max_reply_bytes},
                                          .usage = options,
                                          .queries = {own},
                                          .scope = scope},
                                         known);
  EXPECT_TRUE(source.ok()) << source.status();
  Measured measured;
  for (int i = 0; i < 1000; ++i) {
    const auto progress = (*source)->Refresh(kNow, [&](const usage::Readings& batch) {
      for (const auto& each : batch.workloads)
        Raise(measured.workloads[each.subject], Time(kSlot * batch.slot), each.amount);
      for (const auto& each : batch.nodes) Raise(measured.nodes[each.subject], Time(kSlot * batch.slot), each.amount);
    });
    EXPECT_TRUE(progress.ok()) << progress.status();
    if (!progress.ok() || !progress->more) {
      EXPECT_EQ(progress.ok() ? progress->left_out : 0, 0U);
      return measured;
    }
  }
  ADD_FAILURE() << "never done";
  return measured;
}

// "name{labels} value time", in milli-units and milliseconds.
std::string Line(std::string_view name, std::string_view labels, int64_t milli, Time time) {
  char text[400];
  std::snprintf(text, sizeof text, "%.*s{%.*s} %lld.%03lld %.3f\n", static_cast<int>(name.size()), name.data(),
                static_cast<int>(labels.size()), labels.data(), static_cast<long long>(milli / 1000),
                static_cast<long long>(milli % 1000), static_cast<double>(time.time_since_epoch() / 1ms) / 1000);
  return text;
}

TEST(RealPrometheus, TakesTheRecordingRulesAndTheAlerts) {
  HUYGENS_SKIP_WITHOUT("promtool");
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"promtool", "check", "rules", HUYGENS_SOURCE_DIR "/config/prometheus/rules.yaml"},
        std::vector<std::string>{"promtool", "test", "rules",
                                 HUYGENS_SOURCE_DIR "/tests/usage_sources/rules_test.yaml"},
        std::vector<std::string>{"promtool", "check", "rules", HUYGENS_SOURCE_DIR "/config/prometheus/alerts.yaml"},
        std::vector<std::string>{"promtool", "test", "rules",
                                 HUYGENS_SOURCE_DIR "/tests/usage_sources/alerts_test.yaml"}}) {
    std::string text;
    EXPECT_EQ(Child(command).Finish(text), 0) << text;
  }
}

TEST(RealPrometheus, GivesARecordedWeekBackExactly) {
  HUYGENS_SKIP_WITHOUT("promtool");
  HUYGENS_SKIP_WITHOUT("prometheus");
  std::mt19937 random(5);
  Measured truth;
  std::string workloads = "# TYPE huygens:workload_usage gauge\n", nodes = "# TYPE huygens:node_system_usage gauge\n";
  // Anywhere in its slot, the first millisecond and the last but one included (the last counts twice before Prometheus
  // 3.0); some slots have no sample, some two.
  const auto write = [&](std::string& out, std::string_view name, const std::string& labels, Slots& slots) {
    for (int64_t slot = kOpen - 671; slot <= kOpen; ++slot) {
      const int64_t length = slot == kOpen ? (kNow - Time(kSlot * slot)) / 1ms : kSlot / 1ms;
      const int64_t offsets[] = {0, length - 2, static_cast<int64_t>(random() % static_cast<uint64_t>(length))};
      const size_t first = random() % 4;
      for (size_t i = first; i < 3; i += 2) {
        const Time time = Time(kSlot * slot) + std::chrono::milliseconds(offsets[i]);
        const auto milli = static_cast<int64_t>(random() % 64000);
        out += Line(name, labels, milli, time);
        Raise(slots, time, milli);
      }
    }
  };
  for (int i = 0; i < 200; ++i) {
    const std::string number = std::to_string(i);
    const bool replicas = i % 2 == 0;
    write(workloads, "huygens:workload_usage",
          replicas ? Concat(R"(resource="cpu",namespace="shop",owner_kind="ReplicaSet",owner_name="web)", number,
                            "-7d4b9c6f", std::string(1, "bcdfghjklmnpqrstvwxz2456789"[i % 27]), "\"")
                   : Concat(R"(resource="cpu",namespace="shop",pod="db-)", number,
                            R"(",owner_kind="StatefulSet",owner_name="db")"),
          truth.workloads[replicas ? Concat("shop/Deployment/web", number) : Concat("shop/StatefulSet/db-", number)]);
  }
  for (int i = 0; i < 20; ++i) {
    const std::string name = Concat("worker-", std::to_string(i));
    write(nodes, "huygens:node_system_usage", Concat(R"(resource="cpu",node=")", name, "\""), truth.nodes[name]);
  }
  const RealPrometheus prometheus(workloads + nodes);
  // Once as a whole, once in answers so small that neither a day nor all workloads of one moment fit into them.
  for (const size_t max_reply_bytes : {size_t{64} << 20, size_t{12'000}}) {
    const Measured measured = MeasureAll(prometheus.Url(), {.resources = {{.name = "cpu"}}}, max_reply_bytes);
    EXPECT_EQ(measured.workloads, truth.workloads) << max_reply_bytes;
    EXPECT_EQ(measured.nodes, truth.nodes) << max_reply_bytes;
  }
}

TEST(RealPrometheus, GivesRawSeriesByWorkloadAndNode) {
  HUYGENS_SKIP_WITHOUT("promtool");
  HUYGENS_SKIP_WITHOUT("prometheus");
  constexpr Time kBegin = kNow - 3h;
  std::mt19937 random(6);
  Measured truth;
  std::string memory = "# TYPE container_memory_working_set_bytes gauge\n", owners = "# TYPE kube_pod_owner gauge\n";
  std::map<std::string, std::map<Time, int64_t>> pods_on, whole;
  for (int i = 0; i < 60; ++i) {
    const std::string deployment = Concat("web", std::to_string(i / 3)),
                      pod = Concat(deployment, "-7d4b9c6f5-b", std::string(4, static_cast<char>('b' + i % 3)));
    const std::string node = Concat("worker-", std::to_string(i % 5));
    const std::string place =
        Concat(R"(namespace="shop",pod=")", pod, R"(",instance=")", node, R"(:10250",container=")");
    for (const std::string container : {"app", "proxy", "POD", ""}) {
      for (Time time = kBegin; time <= kNow; time += 1min) {
        const auto bytes = static_cast<int64_t>(random() % 1'000'000'000);
        memory += Line("container_memory_working_set_bytes", Concat(place, container, "\""), bytes * 1000, time);
        if (container == "app" || container == "proxy") pods_on[pod][time] += bytes;
      }
    }
    for (Time time = kBegin; time <= kNow; time += 1min) {
      owners += Line("kube_pod_owner",
                     Concat(R"(namespace="shop",pod=")", pod, R"(",owner_kind="ReplicaSet",owner_name=")", deployment,
                            R"(-7d4b9c6f5",owner_is_controller="true")"),
                     1000, time);
      Raise(truth.workloads[Concat("shop/Deployment/", deployment)], time, pods_on[pod][time]);
      whole[node][time] += pods_on[pod][time];
    }
  }
  for (const auto& [node, sums] : whole) {
    for (const auto& [time, sum] : sums) {
      const auto system = static_cast<int64_t>(random() % 500'000'000);
      memory += Line("container_memory_working_set_bytes", Concat(R"(id="/",instance=")", node, R"(:10250")"),
                     (sum + system) * 1000, time);
      Raise(truth.nodes[node], time, system);
    }
  }
  const RealPrometheus prometheus(memory + owners);
  const Measured measured = MeasureAll(prometheus.Url(), {.resources = {{.name = "memory", .resource = kMemory}}});
  EXPECT_EQ(measured.workloads, truth.workloads);
  EXPECT_EQ(measured.nodes, truth.nodes);
}

// Without id="/", as kube-prometheus-stack leaves it: node_exporter alone knows whole nodes, by address. Everything
// comes twice, from the two copies of a highly available Prometheus, and beside the same of another cluster.
TEST(RealPrometheus, GoesByNodeExporterAndCountsCopiesOnce) {
  HUYGENS_SKIP_WITHOUT("promtool");
  HUYGENS_SKIP_WITHOUT("prometheus");
  std::mt19937 random(7);
  Measured truth, custom;
  std::string memory = "# TYPE container_memory_working_set_bytes gauge\n",
              total = "# TYPE node_memory_MemTotal_bytes gauge\n",
              available = "# TYPE node_memory_MemAvailable_bytes gauge\n", info = "# TYPE kube_node_info gauge\n",
              gpus = "# TYPE gpu_memory gauge\n";
  for (Time time = kNow - 2h; time <= kNow; time += 1min) {
    for (int node = 0; node < 4; ++node) {
      const std::string number = std::to_string(node), name = Concat("worker-", number);
      const auto used = static_cast<int64_t>(random() % 1000), system = static_cast<int64_t>(random() % 500);
      for (const std::string copy :
           {R"(,cluster="prod",prometheus_replica="a")", R"(,cluster="prod",prometheus_replica="b")",
            R"(,cluster="test",prometheus_replica="a")"}) {
        const int64_t scale = copy.find("test") == std::string::npos ? 1000 : 5000;
        const std::string pod = Concat(R"(namespace="shop",pod="db-)", number, "\"");
        memory += Line("container_memory_working_set_bytes", Concat(pod, R"(,container="db",node=")", name, "\"", copy),
                       used * scale, time);
        const std::string address = Concat(R"(instance="10.0.0.)", number, R"(:9100")", copy);
        total += Line("node_memory_MemTotal_bytes", address, 9000 * scale, time);
        available += Line("node_memory_MemAvailable_bytes", address, (9000 - used - system) * scale, time);
        info += Line("kube_node_info", Concat(R"(node=")", name, R"(",internal_ip="10.0.0.)", number, "\"", copy), 1000,
                     time);
        for (const char* card : {"0", "1"}) {
          gpus +=
              Line("gpu_memory", Concat(pod, R"(,card=")", card, R"(",node=")", name, "\"", copy), used * scale, time);
        }
      }
      Raise(truth.workloads[Concat("shop/StatefulSet/db-", number)], time, used);
      Raise(truth.nodes[name], time, system);
      Raise(custom.workloads[Concat("shop/StatefulSet/db-", number)], time, 2 * used);
    }
  }
  const RealPrometheus prometheus(memory + total + available + info + gpus);
  const Scope scope{.matchers = {R"(cluster="prod")"}, .replica_labels = {"prometheus_replica"}};
  const usage::Options options{.resources = {{.name = "memory", .resource = kMemory}}};
  const Measured measured = MeasureAll(prometheus.Url(), options, size_t{64} << 20, scope);
  EXPECT_EQ(measured.workloads, truth.workloads);
  EXPECT_EQ(measured.nodes, truth.nodes);
  // Two cards, each in two copies.
  const Measured own = MeasureAll(prometheus.Url(), options, size_t{64} << 20, scope,
                                  {.pods = R"(gpu_memory{cluster="prod"})", .nodes = ""});
  EXPECT_EQ(own.workloads, custom.workloads);
}

TEST(RealPrometheus, SaysNothingOfNodesWhereNoPodIsMeasured) {
  HUYGENS_SKIP_WITHOUT("promtool");
  HUYGENS_SKIP_WITHOUT("prometheus");
  std::string disk = "# TYPE container_fs_usage_bytes gauge\n";
  for (Time time = kNow - 3h; time <= kNow; time += 1min) {
    disk += Line("container_fs_usage_bytes", R"(id="/",device="/dev/sda1",instance="worker-0:10250")", 5000, time);
    // One pod for a while.
    if (time < kNow - 2h && time >= kNow - 2h - 7min) {
      disk += Line("container_fs_usage_bytes",
                   R"(namespace="shop",pod="db-0",container="db",device="/dev/sda1",instance="worker-0:10250")", 2000,
                   time);
    }
  }
  const RealPrometheus prometheus(disk);
  const Measured measured = MeasureAll(prometheus.Url(), {.resources = {{.name = "disk", .resource = kMemory}}});
  const Slots& slots = measured.nodes.at("worker-0");
  EXPECT_EQ(slots.begin()->second, 3);
  EXPECT_LE(slots.rbegin()->first, kOpen - 7);
}

}  // namespace
}  // namespace huygens::usage_sources
