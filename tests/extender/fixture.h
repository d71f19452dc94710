// A service around the decision core with a scripted backend, driven by Poll on the test's own thread: no sockets, no
// time passes unless said.
#pragma once

#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "extender/bind.h"
#include "extender/service.h"
#include "tests/admin/core_fixture.h"

namespace huygens::extender {

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
  std::optional<bool> NodeWriteWakesAll() const override { return node_write_wakes_all; }
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
  std::optional<bool> node_write_wakes_all = true;
  StatusOr<uint64_t> admission = uint64_t{1};
  StatusOr<std::shared_ptr<const cluster::Pod>> fetched = NotFound("no such pod");
  std::vector<std::function<void(StatusOr<uint64_t>)>> admissions;
  std::deque<Call> binds, settles;
  std::deque<WakeCall> wakes;
  std::vector<std::string> fetches, events, repeat_keys;
};

class ServiceTest : public admin::CoreTest {
 protected:
  explicit ServiceTest(placement::Options options = {}, Duration request_deadline = std::chrono::seconds(4))
      : CoreTest(std::move(options)),
        bind_(context_, backend_, loop_, request_deadline, "test"),
        service_(context_, bind_, "/") {
    context_.monotonic = [this] { return monotonic_; };
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

  Duration monotonic_ = std::chrono::hours(5);
  observe::DecisionRing ring_;
  observe::DecisionLog decision_log_{{}, clock_, log_};
  admin::RecentPods pods_{resources_, 100};
  Journal journal_{*placement_, resources_, metrics_, ring_, decision_log_};
  Context context_{{*placement_, clock_, log_, metrics_, [this] { return not_ready_; },
                    [this](const cluster::Pod& pod, const kube::PodWarning& warning) { backend_.Warn(pod, warning); }},
                   resources_,
                   journal_,
                   pods_};
  ScriptedBackend backend_;
  BindFlow bind_;
  Service service_;
  std::vector<std::vector<std::string>> answers;
};

}  // namespace huygens::extender
