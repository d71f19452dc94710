// A cluster in virtual time for webhooks: one group whose status is kept with compare-and-swap, Deployments that are
// stored after a yes, watches that lag, and faults between any two steps. The same seed plays the same events.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "tests/base/virtual_time.h"
#include "tests/webhook/reviews.h"
#include "webhook/group_commit.h"

namespace huygens::webhook {

using test::VirtualTime;

struct Faults {
  double lost_request = 0;  // of a write of status: never arrives
  double lost_answer = 0;   // is written, and nobody learns of it
  double slow_write = 0;    // is written, some seconds later
  double failed_store = 0;  // of a workload after our yes
};

// The group "team", of so many cores, as an API server keeps it.
class SimulatedApiServer {
 public:
  SimulatedApiServer(VirtualTime& time, uint64_t seed, std::string_view cores, Faults faults = {})
      : time_(time), random_(seed), faults_(faults), group_(quota::MakeGroup("team", "", {{"limits.cpu", cores}})) {
    group_.uid = "team-uid";
    group_.counted_hard = group_.hard;
    group_.used = group_.self_used = quota::Of({{"limits.cpu", "0"}});
    Store();
  }

  const cluster::BizGroupQuota& group() const { return group_; }
  void OnChange(std::function<void(const cluster::BizGroupQuota&)> watch) {
    watches_.push_back({std::move(watch), {}});
    watches_.back().tell(group_);
  }
  bool Chance(double probability) { return std::uniform_real_distribution<>(0, 1)(random_) < probability; }
  Duration Lag() { return std::chrono::microseconds(std::uniform_int_distribution<int64_t>(100, 20000)(random_)); }
  int Draw(int below) { return std::uniform_int_distribution<>(0, below - 1)(random_); }

  // At once, as the API server does it.
  StatusOr<cluster::BizGroupQuota> Swap(const cluster::BizGroupQuota& group) {
    if (group.uid != group_.uid || group.resource_version != group_.resource_version) {
      return absl::AbortedError("the object has been modified");
    }
    if (never_takes && never_takes(group)) return absl::FailedPreconditionError("is invalid");
    group_ = group;
    Store();
    ++writes;
    return group_;
  }

  // Of deployments: the cores of what is stored, by UID.
  std::map<std::string, int> stored;
  int writes = 0;
  std::function<bool(const cluster::BizGroupQuota&)> never_takes;
  Duration slow{};  // added to each write before it arrives

 private:
  struct Watch {
    std::function<void(const cluster::BizGroupQuota&)> tell;
    Duration last{};
  };

  void Store() {
    group_.resource_version = std::to_string(++version_);
    for (Watch& each : watches_) {
      each.last = std::max(each.last, time_.Monotonic() + Lag());
      time_.After(each.last - time_.Monotonic(), [&each, object = group_] { each.tell(object); });
    }
  }

  VirtualTime& time_;
  std::mt19937_64 random_;
  const Faults faults_;
  cluster::BizGroupQuota group_;
  std::deque<Watch> watches_;
  uint64_t version_ = 100;

 public:
  const Faults& faults() const { return faults_; }
};

// What one instance of a webhook has of the API server.
class SimulatedStore final : public StatusStore {
 public:
  SimulatedStore(SimulatedApiServer& server, VirtualTime& time) : server_(server), time_(time) {}

  void Write(const cluster::BizGroupQuota& group, Duration timeout, Done done) override {
    if (server_.Chance(server_.faults().lost_request)) return Fail(timeout, std::move(done));
    const Duration slow = server_.Chance(server_.faults().slow_write) ? std::chrono::milliseconds(2500) : server_.slow;
    time_.After(slow + server_.Lag(), [this, group, timeout, done = std::move(done)]() mutable {
      auto result = server_.Swap(group);
      if (server_.Chance(server_.faults().lost_answer)) return Fail(timeout, std::move(done));
      time_.After(server_.Lag(), [done, result] { done(result); });
    });
  }
  void Read(const std::string&, Duration, Done done) override {
    time_.After(server_.Lag(), [this, done = std::move(done)] {
      time_.After(server_.Lag(), [done, object = server_.group()] { done(object); });
    });
  }

 private:
  void Fail(Duration timeout, Done done) {
    time_.After(timeout, [done = std::move(done)] { done(absl::DeadlineExceededError("no answer")); });
  }

  SimulatedApiServer& server_;
  VirtualTime& time_;
};

// One instance of a webhook.
class SimulatedWebhook {
 public:
  SimulatedWebhook(SimulatedApiServer& server, VirtualTime& time, GroupCommitOptions options = {})
      : SimulatedWebhook(time, std::make_unique<SimulatedStore>(server, time), options) {
    server.OnChange([this](const cluster::BizGroupQuota& group) { ledger_.Set(group); });
  }
  // Nobody tells it of the group but who calls ledger().
  SimulatedWebhook(VirtualTime& time, std::unique_ptr<StatusStore> store, GroupCommitOptions options = {})
      : time_(time),
        store_(std::move(store)),
        commit_(ledger_, *store_,
                {.clock = time,
                 .monotonic = [&time] { return time.Monotonic(); },
                 .after = [&time](Duration delay, std::function<void()> task) { time.After(delay, std::move(task)); },
                 .random = [] { return 0.5; }},
                options) {}

  // `before`, `after`: cores of the Deployment; before 0: it is created. `patience`: of the API server.
  void Ask(const std::string& name, int before, int after, std::function<void(const Judgement&)> answer,
           Duration patience = std::chrono::seconds(10)) {
    auto objects = std::make_shared<std::pair<std::string, std::string>>(
        before == 0 ? "" : Deployment{.replicas = before, .name = name}.Json(),
        Deployment{.replicas = after, .name = name}.Json());
    auto judge = [this, objects] {
      AdmissionRequest request;
      request.uid = "review";
      request.operation = objects->first.empty() ? Operation::kCreate : Operation::kUpdate;
      request.kind_group = request.resource_group = "apps";
      request.kind = "Deployment";
      request.resource = "deployments";
      request.namespace_name = "shop";
      request.old_object = objects->first;
      request.object = objects->second;
      return Judge(request, {.tree = ledger_.tree(),
                             .workloads = workloads_,
                             .classes = classes_,
                             .names = names_,
                             .reserved = [this](auto group, auto uid) { return ledger_.Reserved(group, uid); },
                             .by_status = true});
    };
    const Judgement first = judge();
    if (!first.allowed || !first.charge) return answer(first);
    commit_.Submit({.charge = *first.charge,
                    .deadline = time_.Monotonic() + patience,
                    .judge = judge,
                    .answer = std::move(answer)},
                   first);
  }

  const GroupCommitCounts& counts() const { return commit_.counts(); }
  Ledger& ledger() { return ledger_; }

 private:
  VirtualTime& time_;
  Ledger ledger_;
  std::unique_ptr<StatusStore> store_;
  workloads::WorkloadIndex workloads_;
  quota::DeviceClasses classes_;
  ResourceNames names_;
  GroupCommit commit_;
};

}  // namespace huygens::webhook
