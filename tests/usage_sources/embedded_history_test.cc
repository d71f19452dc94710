// From the samples of the metrics API to verdicts: what a cluster sees of huygens that begins without history, and of
// one that is restarted.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "tests/fake/temporary_directory.h"
#include "usage/account.h"
#include "usage_sources/metrics_api_source.h"

namespace huygens::usage_sources {
namespace {

using namespace std::chrono_literals;
using usage::Verdict;

const Time kStart = *ParseRfc3339("2026-11-16T00:00:00Z");  // a Monday

// Nodes of 64 CPUs, cpu up to 80 %, and the huygens that looks at them.
class Cluster {
 public:
  static constexpr int64_t kCapacity = 64'000, kCeiling = 51'200, kSystem = 500;

  struct PodHere {
    cluster::PlacedPod placed;
    std::function<int64_t(Time)> use;  // milli-cores
  };

  Cluster(size_t nodes, Time now, std::string history_file = {})
      : now(now), nodes_(nodes), history_file_(std::move(history_file)) {
    options.resources = {{.name = "cpu", .ceiling = 800'000}};
    options.min_history = 24h;
    Restart();
  }

  // A new process: what it knows of use is gone, but for the file. The cluster tells it of nodes and pods.
  void Restart() {
    source.reset();
    known = std::make_unique<PlacedPods>(PlacedPods::Which::kAll);
    account = std::make_unique<usage::Account>(options);
    for (size_t n = 0; n < nodes_; ++n) {
      cluster::Node node;
      node.name = NodeName(n);
      node.allocatable = {{kCpu, kCapacity}};
      account->NodeObjectChanged(static_cast<cluster::NodeIndex>(n), &node);
    }
    for (const PodHere& pod : pods) {
      account->Place(pod.placed);
      known->Place(pod.placed);
    }
    known->SetComplete();
    std::unique_ptr<HistoryFile> file;
    if (!history_file_.empty()) file = *HistoryFile::Open(history_file_, options);
    source = std::make_unique<MetricsApiSource>(
        MetricsReader{
            .pods = [this] { return PodSamples(); }, .nodes = [this] { return NodeSamples(); }, .cancel = [] {}},
        options, *known, std::move(file));
  }

  void Add(size_t node, const cluster::Pod& pod, std::function<int64_t(Time)> use) {
    auto bound = std::make_shared<cluster::Pod>(pod);
    bound->node_name = NodeName(node);
    if (!bound->start_time) bound->start_time = now;
    pods.push_back({{bound, static_cast<cluster::NodeIndex>(node), {}}, std::move(use)});
    account->Place(pods.back().placed);
    known->Place(pods.back().placed);
  }
  void Remove(size_t index) {
    account->Leave(pods[index].placed);
    known->Leave(pods[index].placed);
    pods.erase(pods.begin() + static_cast<ptrdiff_t>(index));
  }

  void Poll() {
    for (;;) {
      const auto progress =
          source->Refresh(now, [&](const usage::Readings& readings) { account->Apply(readings, now); });
      ASSERT_TRUE(progress.ok()) << progress.status();
      if (!progress->more) break;
    }
    account->Settle();
  }

  // As the check asks.
  Verdict Judge(size_t node, const cluster::Pod& pod) const {
    return account->Judge(static_cast<cluster::NodeIndex>(node), account->DemandOf(pod), now,
                          account->SteppingAside(now) | account->ShortHistory());
  }
  size_t Feasible(const cluster::Pod& pod) const {
    size_t feasible = 0;
    for (size_t n = 0; n < nodes_; ++n) feasible += Judge(n, pod) == Verdict::kFits ? 1 : 0;
    return feasible;
  }
  // Whether the node would take it by the predictions, whether they are enforced or not.
  Verdict Predicted(size_t node, const cluster::Pod& pod) const {
    return account->Judge(static_cast<cluster::NodeIndex>(node), account->DemandOf(pod), now);
  }
  int64_t RealUse(size_t node, Time at) const {
    int64_t use = kSystem;
    for (const PodHere& pod : pods) use += pod.placed.node == node ? pod.use(at) : 0;
    return use;
  }
  size_t nodes() const { return nodes_; }

  Time now;
  usage::Options options;
  std::vector<PodHere> pods;
  std::unique_ptr<PlacedPods> known;
  std::unique_ptr<usage::Account> account;
  std::unique_ptr<MetricsApiSource> source;

 private:
  static std::string NodeName(size_t node) { return Concat("n", std::to_string(node)); }

  std::vector<wire::ResourceMetrics> PodSamples() const {
    std::vector<wire::ResourceMetrics> samples;
    for (const PodHere& pod : pods) {
      if (*pod.placed.pod->start_time + 1min > now) continue;  // too young
      samples.push_back({.namespace_name = std::string(pod.placed.pod->namespace_name),
                         .name = pod.placed.pod->name,
                         .timestamp = now,
                         .usage = {{kCpu, pod.use(now)}}});
    }
    return samples;
  }
  std::vector<wire::ResourceMetrics> NodeSamples() const {
    std::vector<wire::ResourceMetrics> samples;
    for (size_t n = 0; n < nodes_; ++n) {
      samples.push_back({.name = NodeName(n), .timestamp = now, .usage = {{kCpu, RealUse(n, now)}}});
    }
    return samples;
  }

  const size_t nodes_;
  const std::string history_file_;
};

cluster::Pod PodOf(const std::string& workload, const std::string& name, int64_t request, int64_t limit,
                   std::optional<Time> started = std::nullopt) {
  cluster::Pod pod;
  pod.namespace_name = "s";
  pod.name = pod.uid = name;
  pod.owner_kind = "ReplicaSet";
  pod.owner_name = workload;
  pod.start_time = started;
  pod.containers.push_back({.requests = {{kCpu, request}}, .limits = {{kCpu, limit}}});
  return pod;
}

// 20 pods on each of 10 nodes: request 0.5, limit 4, use 0.05.
TEST(EmbeddedHistory, ThatBeginsOnARunningClusterRefusesNothingAndShowsWhatIsMeasured) {
  Cluster cluster(10, kStart);
  for (size_t n = 0; n < cluster.nodes(); ++n) {
    for (int i = 0; i < 20; ++i) {
      const std::string name = Concat("p", std::to_string(n), "-", std::to_string(i));
      cluster.Add(n, PodOf(Concat("w", std::to_string(i)), name, 500, 4000, kStart - 72h), [](Time) { return 50; });
    }
  }
  const cluster::Pod asked = PodOf("new", "new", 500, 4000);
  EXPECT_EQ(cluster.Feasible(asked), 10U) << "before metrics.k8s.io answers";
  for (int restarts = 0; restarts < 2; ++restarts) {
    for (const Time at : {kStart, kStart + 1h, kStart + 7h}) {
      cluster.now = at + restarts * 8h;
      cluster.Poll();
      EXPECT_EQ(cluster.Feasible(asked), 10U);
      for (cluster::NodeIndex n = 0; n < 10; ++n) {
        const usage::NodeUse use = cluster.account->Use(n, 0, cluster.now);
        EXPECT_EQ(use.now, 20 * 50 + Cluster::kSystem);
        EXPECT_EQ(use.peak, 20 * 50 + Cluster::kSystem) << "they ran for days";
        EXPECT_LE(use.measured_peak, *use.ceiling) << "no alert";
        EXPECT_EQ(cluster.Predicted(n, asked), Verdict::kFits) << "what a report says is true";
      }
    }
    cluster.Restart();
  }
}

TEST(EmbeddedHistory, OfAPodThatJustStartedIsItsEstimateSoThatABurstSpreads) {
  Cluster cluster(2, kStart);
  cluster.options.min_history = Duration::zero();
  cluster.Restart();
  cluster.Add(0, PodOf("old", "old", 500, 4000, kStart - 72h), [](Time) { return 50; });
  cluster.Poll();
  const cluster::Pod burst = PodOf("burst", "asked", 9500, 9500);  // estimated at 8 CPUs
  int placed = 0;
  for (; cluster.Judge(0, burst) == Verdict::kFits; ++placed) {
    cluster.Add(0, PodOf("burst", Concat("b", std::to_string(placed)), 9500, 9500), [](Time) { return 100; });
  }
  EXPECT_EQ(placed, 6);
  EXPECT_EQ(cluster.Judge(1, burst), Verdict::kFits);
  cluster.now += 3min;
  cluster.Poll();
  EXPECT_EQ(cluster.Judge(0, burst), Verdict::kOverCeiling) << "a few minutes tell little";
  EXPECT_EQ(cluster.account->Use(0, 0, cluster.now).now, 50 + 6 * 100 + Cluster::kSystem);
  for (int hour = 1; hour <= 24; ++hour) {
    cluster.now += 1h;
    cluster.Poll();
  }
  EXPECT_EQ(cluster.account->Use(0, 0, cluster.now).peak, 50 + 6 * 100 + Cluster::kSystem) << "a day tells";
}

TEST(EmbeddedHistory, InAFileCountsAfterARestart) {
  fake::TemporaryDirectory folder;
  Cluster cluster(1, kStart, folder.path() + "/history");
  cluster.Add(0, PodOf("w", "a", 500, 4000, kStart - 72h), [](Time) { return 50; });
  for (int slot = 0; slot < 97; ++slot) {
    EXPECT_EQ(cluster.account->ShortHistory().any(), slot < 96) << slot;
    cluster.Poll();
    cluster.now += 15min;
  }
  cluster.Restart();
  EXPECT_TRUE(cluster.account->ShortHistory().any());
  cluster.Poll();
  EXPECT_TRUE(cluster.account->ShortHistory().none());
}

// Ten days of a cluster whose pods may use three times what they request and use a quarter of it in the busy hour.
// Replicas are replaced all the time, and every day brings a workload that nobody knows, and a hot one that uses nine
// times its request. huygens keeps its history in memory and is restarted half-way.
TEST(EmbeddedHistory, NeverRefusesWhatFitsByRealUseAndKeepsEveryNodeUnderItsCeiling) {
  constexpr size_t kNodes = 4;
  constexpr int64_t kRequest = 2000;
  constexpr int kHot = 1000;  // workloads from here on
  Cluster cluster(kNodes, kStart);
  const auto use_of = [](int workload) {
    return [workload](Time at) {
      if (workload >= kHot) return 9 * kRequest;
      const auto hour = std::chrono::duration_cast<std::chrono::hours>(at.time_since_epoch()).count() % 24;
      return hour == 14 ? kRequest / 4 : kRequest / 20;
    };
  };
  const auto requested = [&](size_t node) {
    return kRequest * std::ranges::count_if(cluster.pods, [&](const auto& pod) { return pod.placed.node == node; });
  };
  int named = 0, asked = 0, refused = 0, hot = 0;
  const auto place = [&](int workload, std::optional<Time> started) {
    const cluster::Pod pod = PodOf(Concat("w", std::to_string(workload)), Concat("p", std::to_string(named++)),
                                   kRequest, (workload >= kHot ? 10 : 3) * kRequest, started);
    std::optional<size_t> best;
    float least = 0;
    for (size_t n = 0; n < kNodes; ++n) {
      if (requested(n) + kRequest > Cluster::kCapacity) continue;  // kube-scheduler's own rule
      ++asked;
      int64_t peak = 0;
      for (int hour = 0; hour < 24; ++hour) {
        const Time at = cluster.now + hour * 1h;
        peak = std::max(peak, cluster.RealUse(n, at) + use_of(workload)(at));
      }
      const Verdict verdict = cluster.Judge(n, pod);
      if (peak <= Cluster::kCeiling) {
        ASSERT_EQ(verdict, Verdict::kFits) << pod.name << " on " << n << " comes to " << peak;
      }
      if (verdict != Verdict::kFits) {
        ++refused;
        continue;
      }
      const float share = workload < kHot ? static_cast<float>(requested(n))
                                          : cluster.account->Share(static_cast<cluster::NodeIndex>(n), 0,
                                                                   cluster.account->DemandOf(pod), cluster.now);
      if (best && share >= least) continue;
      best = n;
      least = share;
    }
    if (!best) return;
    cluster.Add(*best, pod, use_of(workload));
    hot += workload >= kHot ? 1 : 0;
  };
  for (int i = 0; i < 48; ++i) place(i % 12, kStart - 48h);

  for (int slot = 0; slot < 10 * 96; ++slot, cluster.now += 15min) {
    if (slot == 5 * 96) cluster.Restart();
    cluster.Poll();
    for (size_t n = 0; n < kNodes; ++n) ASSERT_LE(cluster.RealUse(n, cluster.now), Cluster::kCeiling) << slot;
    if (slot % 4 == 1) {  // a replica is replaced
      const size_t index = static_cast<size_t>(slot / 4) % cluster.pods.size();
      const std::string owner(cluster.pods[index].placed.pod->owner_name);
      cluster.Remove(index);
      hot -= std::stoi(owner.substr(1)) >= kHot ? 1 : 0;
      place(std::stoi(owner.substr(1)), std::nullopt);
    }
    if (slot % 96 == 50) place(100 + slot / 96, std::nullopt);
    if (slot % 96 == 70) place(kHot + slot / 96, std::nullopt);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(asked, 900);
  EXPECT_EQ(hot, 8) << "two on each node, and two more were turned away";
  EXPECT_GT(refused, 8);
}

// Three replicas of which one leads. Where the worst stands for all the node's share is too high but safe; a quantile
// is the operator's choice.
TEST(EmbeddedHistory, OfALeaderStandsForItsFollowersUnlessAQuantileIsAskedFor) {
  struct Case {
    int64_t quantile, want;
  };
  for (const Case& each : {Case{1'000'000, 10'000}, {500'000, 100}, {750'000, 5050}}) {
    Cluster cluster(3, kStart);
    cluster.options.replica_quantile = each.quantile;
    cluster.Restart();
    for (size_t n = 0; n < 3; ++n) {
      cluster.Add(n, PodOf("elected", Concat("e", std::to_string(n)), 500, 500, kStart - 72h),
                  [leads = n == 0](Time) { return leads ? 10'000 : 100; });
    }
    cluster.Poll();
    for (cluster::NodeIndex n = 0; n < 3; ++n) {
      EXPECT_EQ(cluster.account->Use(n, 0, cluster.now).peak, each.want + Cluster::kSystem) << each.quantile;
      EXPECT_EQ(cluster.account->Use(n, 0, cluster.now).now, (n == 0 ? 10'000 : 100) + Cluster::kSystem);
    }
  }
}

// Shards of different weight: each ordinal of a StatefulSet and each node of a DaemonSet by itself.
TEST(EmbeddedHistory, OfAShardIsItsOwn) {
  Cluster cluster(2, kStart);
  for (size_t n = 0; n < 2; ++n) {
    const auto use = [n](Time) { return n == 0 ? 9000 : 200; };
    cluster::Pod shard = PodOf("db", Concat("db-", std::to_string(n)), 500, 500, kStart - 72h);
    shard.owner_kind = "StatefulSet";
    cluster.Add(n, shard, use);
    cluster::Pod daemon = PodOf("agent", Concat("agent-", n == 0 ? "aaaaa" : "bbbbb"), 500, 500, kStart - 72h);
    daemon.owner_kind = "DaemonSet";
    cluster.Add(n, daemon, use);
  }
  cluster.Poll();
  EXPECT_EQ(cluster.account->Use(0, 0, cluster.now).peak, 2 * 9000 + Cluster::kSystem);
  EXPECT_EQ(cluster.account->Use(1, 0, cluster.now).peak, 2 * 200 + Cluster::kSystem);
}

TEST(Replicas, GiveTheQuantileThatPrometheusWould) {
  const auto quantile = [](std::vector<int64_t> amounts, int64_t millionths) {
    return QuantileOf(amounts, millionths);
  };
  EXPECT_EQ(quantile({30, 10, 20}, 1'000'000), 30);
  EXPECT_EQ(quantile({30, 10, 20}, 0), 10);
  EXPECT_EQ(quantile({30, 10, 20}, 500'000), 20);
  EXPECT_EQ(quantile({30, 10, 20}, 900'000), 28);
  EXPECT_EQ(quantile({30, 10, 20}, 910'000), 29) << "28.2";
  EXPECT_EQ(quantile({7}, 500'000), 7);
  EXPECT_EQ(quantile({0, int64_t{1} << 46}, 500'000), int64_t{1} << 45);
}

}  // namespace
}  // namespace huygens::usage_sources
