// A cluster in a few lines: nodes of 10 CPUs with a ceiling of 80 %, pods of Deployments whose use is known slot by slot
// of a day of six slots.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "placement/placement.h"
#include "rescheduling/planner.h"
#include "tests/cluster/build.h"
#include "usage/workload.h"

namespace huygens::rescheduling::test {

using namespace huygens::test;  // NOLINT: builders of the same words

constexpr size_t kSlots = 6;
constexpr Duration kSlot = std::chrono::hours(4);
constexpr int64_t kFirstSlot = int64_t{365} * 56 * kSlots;
constexpr Time kEnd{(kFirstSlot + static_cast<int64_t>(kSlots)) * kSlot};

class TestFacts final : public Facts {
 public:
  std::set<std::string, std::less<>> unmovable, leaving, closed, not_left;  // by UID, UID, node, node
  std::set<std::pair<std::string, std::string>> barred;                     // UID and node

  std::string_view Unmovable(const cluster::Pod& pod) const override {
    return unmovable.contains(std::string_view(pod.uid)) ? "must stay" : "";
  }
  bool MayLeave(cluster::NodeIndex node) const override { return !not_left.contains(state->NodeName(node)); }
  bool IsOpen(cluster::NodeIndex node) const override { return !closed.contains(state->NodeName(node)); }
  bool MayTake(const cluster::Pod& pod, cluster::NodeIndex node) const override {
    return !barred.contains({pod.uid, std::string(state->NodeName(node))});
  }
  bool Leaving(const cluster::Pod& pod) const override {
    return pod.deleting || leaving.contains(std::string_view(pod.uid));
  }
  const cluster::State* state = nullptr;
};

class TestCluster {
 public:
  explicit TestCluster(std::vector<placement::CheckSetting> checks = {"topology", "usage"},
                       usage::Estimator estimator = usage::Estimator::kPeakOfSum) {
    placement::Options options;
    options.checks = std::move(checks);
    options.terms = {};
    options.usage.estimator = estimator;
    options.usage.slot = kSlot;
    options.usage.slots = kSlots;
    options.usage.stale_after = std::chrono::hours(1);
    options.usage.resources = {{.name = "cpu", .ceiling = 800'000}};
    options.resource_names = &names;
    placement = *placement::Placement::Create(std::move(options));
    for (cluster::Kind kind : cluster::kKinds) {
      placement->Apply(cluster::ListBegin{kind});
      placement->Apply(cluster::ListEnd{kind});
    }
    facts.state = &placement->state();
  }

  void AddNode(const std::string& name, int64_t cpus = 10, std::string cpu_model = "") {
    cluster::Node node = MakeNode(name);
    node.allocatable = {{kCpu, cpus * 1000}, {kMemory, int64_t{64} << 30}, {kPodSlots, 100}};
    if (!cpu_model.empty()) node.labels = {{"huygens.dev/cpu-model", std::move(cpu_model)}};
    placement->Apply(cluster::NodeSet{node});
    for (size_t s = 0; s < kSlots; ++s) {
      usage::Readings readings{.slot = kFirstSlot + static_cast<int64_t>(s), .measured = kEnd, .nodes = {{name, 0}}};
      placement->ApplyUsage(readings, kEnd);
    }
    placement->SettleUsage();
  }

  // In tenths of a CPU, by slot; one value for all.
  void Measure(const std::string& uid, std::vector<int64_t> tenths) {
    tenths.resize(kSlots, tenths.front());
    for (size_t s = 0; s < kSlots; ++s) {
      const std::string workload = usage::WorkloadOf("default", "pod-" + uid, "ReplicaSet", "web-" + uid, "");
      usage::Readings readings{
          .slot = kFirstSlot + static_cast<int64_t>(s), .measured = kEnd, .workloads = {{workload, tenths[s] * 100}}};
      placement->ApplyUsage(readings, kEnd);
    }
    placement->SettleUsage();
  }

  // A pod on the node that used this; what it asks for is nothing, if nothing else is said.
  std::shared_ptr<cluster::Pod> MakeBound(const std::string& uid, const std::string& node) const {
    auto pod = std::make_shared<cluster::Pod>();
    pod->name = "pod-" + uid;
    pod->namespace_name = "default";
    pod->uid = uid;
    pod->owner_kind = "ReplicaSet";
    pod->owner_name = "web-" + uid;
    pod->node_name = node;
    pod->phase = cluster::PodPhase::kRunning;
    return pod;
  }
  void Add(const std::string& uid, const std::string& node, std::vector<int64_t> tenths) {
    Measure(uid, std::move(tenths));
    placement->Apply(cluster::PodSet{MakeBound(uid, node)});
  }

  // All steps of one search; the moves in order as "UID SOURCE>TARGET".
  std::vector<std::string> Plan(Planner& planner, std::vector<Violation> rules = {}) {
    planner.Begin(kEnd, std::move(rules));
    while (planner.Step(kEnd)) {
    }
    return Queue(planner);
  }
  static std::vector<std::string> Queue(const Planner& planner) {
    std::vector<std::string> moves;
    for (const Move& move : planner.queue()) moves.push_back(move.pod.uid + " " + move.source + ">" + move.target);
    return moves;
  }
  static std::vector<std::string> Reasons(const Planner& planner) {
    std::vector<std::string> reasons;
    for (const Stuck& each : planner.stuck()) {
      reasons.push_back(each.node + (each.pod.name.empty() ? "" : "/" + each.pod.name) + ": " + each.reason);
    }
    return reasons;
  }
  // As if the pod had been replaced on its target.
  void CarryOut(const Move& move) {
    auto pod = std::make_shared<cluster::Pod>(*placement->state().FindPod(move.pod.uid));
    pod->node_name = move.target;
    placement->Apply(cluster::PodSet{pod});
  }
  int64_t PeakTenths(const std::string& node) const {
    return placement->usage().Use(*placement->state().FindNode(node), 0, kEnd).peak / 100;
  }

  ResourceNames names;
  std::unique_ptr<placement::Placement> placement;
  TestFacts facts;
};

}  // namespace huygens::rescheduling::test
