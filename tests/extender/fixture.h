// A service around the decision core with a scripted backend, driven by Poll on the test's own thread: no sockets, no
// time passes unless said.
#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "extender/bind.h"
#include "extender/service.h"
#include "tests/observe/captured_log.h"

namespace huygens::extender {

class SetClock final : public Clock {
 public:
  Time Now() const override { return now; }
  Time now = *ParseRfc3339("2026-11-21T12:00:00Z");
};

// Answers nothing by itself: the test takes each request and says what became of it.
class ScriptedBackend final : public Backend {
 public:
  Status Start() override { return absl::OkStatus(); }
  void Drain() override {}
  void Stop() override {}
  void Admit(std::function<void(StatusOr<uint64_t>)> done) override {
    if (hold_admissions) {
      admissions.push_back(std::move(done));
    } else {
      done(admission);
    }
  }
  void Bind(BindOrder order, Duration budget, std::function<void(BindReport)> done) override {
    binds.push_back({std::move(order), std::move(done), budget});
  }
  void Settle(BindOrder order, std::function<void(BindReport)> done) override {
    settles.push_back({std::move(order), std::move(done), {}});
  }
  void FetchPod(std::string_view namespace_name, std::string_view name,
                std::function<void(StatusOr<std::shared_ptr<const cluster::Pod>>)> done) override {
    fetches.push_back(Concat(namespace_name, "/", name));
    done(fetched);
  }
  void Warn(const cluster::Pod& pod, const kube::PodWarning& warning) override {
    events.push_back(Concat(pod.Key(), ": ", warning.reason, ": ", warning.message));
    repeat_keys.emplace_back(warning.repeat_key);
  }
  void Wake(std::vector<kube::WakeTarget> targets,
            std::function<void(const std::vector<kube::WakeReport>&)> done) override {
    wakes.push_back({std::move(targets), std::move(done)});
  }
  std::vector<observe::Readiness::Item> Details() const override { return {}; }

  struct WakeCall {
    std::vector<kube::WakeTarget> targets;
    std::function<void(const std::vector<kube::WakeReport>&)> done;
  };
  struct Call {
    BindOrder order;
    std::function<void(BindReport)> done;
    Duration budget{};
  };
  bool hold_admissions = false;
  StatusOr<uint64_t> admission = uint64_t{1};
  StatusOr<std::shared_ptr<const cluster::Pod>> fetched = NotFound("no such pod");
  std::vector<std::function<void(StatusOr<uint64_t>)>> admissions;
  std::deque<Call> binds, settles;
  std::deque<WakeCall> wakes;
  std::vector<std::string> fetches, events, repeat_keys;
};

class ServiceTest : public testing::Test {
 protected:
  explicit ServiceTest(placement::Options options = {}, Duration request_deadline = std::chrono::seconds(4))
      : placement_(Create(std::move(options))),
        bind_(context_, backend_, loop_, request_deadline, "test"),
        service_(context_, bind_, "/") {
    context_.monotonic = [this] { return monotonic_; };
    for (cluster::Kind kind : cluster::kKinds) {
      placement_->Apply(cluster::ListBegin{kind});
      placement_->Apply(cluster::ListEnd{kind});
    }
  }

  std::unique_ptr<placement::Placement> Create(placement::Options options) const {
    options.resource_names = &resources_;
    return *placement::Placement::Create(std::move(options));
  }

  // A managed node with zones of so many whole CPUs each.
  void AddNode(const std::string& name, const std::vector<int>& zone_cpus) {
    placement_->Apply(cluster::NodeSet{{.name = name, .uid = Concat("uid-", name)}});
    cluster::NodeTopology topology{.node_name = name, .pinned_by_agent = true};
    for (int cpus : zone_cpus) {
      int id = static_cast<int>(topology.zones.size());
      cluster::Zone zone{.id = id, .name = Concat("node", std::to_string(id))};
      zone.capacity = zone.allocatable = {{kCpu, cpus * 1000}};
      topology.zones.push_back(std::move(zone));
    }
    placement_->Apply(cluster::TopologySet{std::move(topology)});
  }
  // A pending pod that the watch has shown, which asks one zone for so many whole CPUs.
  std::shared_ptr<cluster::Pod> AddPod(const std::string& name, int cpus) {
    auto pod = std::make_shared<cluster::Pod>();
    pod->name = name;
    pod->namespace_name = "default";
    pod->uid = Concat("uid-", name);
    pod->topology_awareness = true;
    ResourceVector amounts{{kCpu, cpus * 1000}};
    pod->containers.push_back({.name = "main", .requests = amounts, .limits = amounts});
    placement_->Apply(cluster::PodSet{pod});
    return pod;
  }

  // Sends a bind; its answer's Error appears in `answers` under the returned index.
  size_t Bind(const std::string& pod, const std::string& node) { return BindUid(pod, Concat("uid-", pod), node); }
  size_t BindUid(const std::string& pod, const std::string& uid, const std::string& node) {
    size_t index = answers.size();
    answers.emplace_back();
    bind_.Bind({.pod_name = pod, .pod_namespace = "default", .pod_uid = uid, .node = node},
               [this, index](std::string_view error) { answers[index].push_back(std::string(error)); });
    return index;
  }
  std::string Answer(size_t index) const {
    if (answers[index].empty()) return "(none yet)";
    if (answers[index].size() > 1) return "(more than one)";
    return answers[index][0];
  }
  size_t Reserved() const { return placement_->state().ledger().Count(cluster::ReservationState::kReserved); }
  size_t Assumed() const { return placement_->state().ledger().Count(cluster::ReservationState::kAssumed); }

  SetClock clock_;
  Duration monotonic_ = std::chrono::hours(5);
  net::EventLoop loop_;
  observe::CapturedLog captured_;
  observe::Log& log_ = captured_.log;
  observe::Metrics metrics_{{.version = "test", .reject_reasons = {}}};
  observe::DecisionRing ring_;
  observe::DecisionLog decision_log_{{}, clock_, log_};
  ResourceNames resources_;
  std::unique_ptr<placement::Placement> placement_;
  admin::RecentPods pods_{resources_, 100};
  Journal journal_{*placement_, resources_, metrics_, ring_, decision_log_};
  std::string not_ready_;
  Context context_{*placement_,
                   resources_,
                   clock_,
                   log_,
                   metrics_,
                   journal_,
                   pods_,
                   [this] { return not_ready_; },
                   [this](const cluster::Pod& pod, const kube::PodWarning& warning) { backend_.Warn(pod, warning); }};
  ScriptedBackend backend_;
  BindFlow bind_;
  Service service_;
  std::vector<std::vector<std::string>> answers;
};

}  // namespace huygens::extender
