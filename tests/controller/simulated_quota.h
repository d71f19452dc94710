// A cluster in virtual time for the reconciler of groups: an API server that keeps groups with compare-and-swap and
// finalizers, transfers between them, watches that may lag or be silent, workloads and pods that come and go, and controllers that lead or not.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "controller/quota_reconciler.h"
#include "controller/transfer_store.h"
#include "reconcile/reconcile_loop.h"
#include "tests/base/virtual_time.h"
#include "tests/controller/groups.h"
#include "tests/observe/captured_log.h"

namespace huygens::controller {

// What one instance knows.
class SimulatedView final : public ClusterView {
 public:
  const workloads::WorkloadIndex& workloads() const override { return index_; }
  std::string NotReady() const override { return {}; }
  Duration Silence(std::string_view) const override { return silence; }
  void CatchUp(std::string_view) override {
    ++caught_up;
    silence = {};
  }
  void Gone(const std::string& group) { Remove(group); }
  void TransferGone(const std::string& uid) { RemoveTransfer(uid); }
  void SetWorkload(const workloads::WorkloadObject& workload) {
    Tell(index_.ByUid(workload.uid), &workload);
    index_.Set(workload);
  }
  void SetUntold(const workloads::WorkloadObject& workload) { index_.Set(workload); }
  void RemoveWorkload(const std::string& uid) {
    if (index_.ByUid(uid) == nullptr) return;
    Tell(index_.ByUid(uid), nullptr);
    index_.Remove(uid);
  }
  Duration silence{};
  Duration lag = milliseconds(1);  // of what its watches tell
  int caught_up = 0;

 private:
  workloads::WorkloadIndex index_;
};

// What an API server has.
class SimulatedServer {
 public:
  explicit SimulatedServer(test::VirtualTime& time) : time_(time) {}

  // As whoever watches from the beginning.
  void Watch(SimulatedView& view) { views_.push_back(&view); }
  void PutGroup(cluster::BizGroupQuota group) {
    const auto known = groups_.find(group.name);
    group.uid = known != groups_.end() ? known->second.uid : Concat(group.name, "-", std::to_string(++uids_));
    if (!group.created) group.created = time_.Now();
    Store(std::move(group));
  }
  void DeleteGroup(const std::string& name) {
    cluster::BizGroupQuota group = groups_.at(name);
    group.deleting = true;
    Store(std::move(group));
    Reap(name);
  }
  // As another writer would.
  void Change(const std::string& name, const std::function<void(cluster::BizGroupQuota&)>& change) {
    cluster::BizGroupQuota group = groups_.at(name);
    change(group);
    Store(std::move(group));
  }
  bool Has(const std::string& name) const { return groups_.contains(name); }
  const cluster::BizGroupQuota& group(const std::string& name) const { return groups_.at(name); }
  std::string Used(const std::string& name, std::string_view key) const {
    return quota::Get(group(name).used, key).Canonical();
  }

  void PutTransfer(cluster::QuotaTransfer transfer) {
    if (transfer.uid.empty()) transfer.uid = Concat(transfer.name, "-", std::to_string(++uids_));
    Store(std::move(transfer));
  }
  void DeleteTransfer(const std::string& name) {
    cluster::QuotaTransfer transfer = transfers_.at(name);
    transfer.deleting = true;
    Store(std::move(transfer));
    ReapTransfer(name);
  }
  bool HasTransfer(const std::string& name) const { return transfers_.contains(name); }
  const cluster::QuotaTransfer& transfer(const std::string& name) const { return transfers_.at(name); }
  const std::map<std::string, cluster::BizGroupQuota>& groups() const { return groups_; }

  // `json`: of the API group and kind.
  void Put(const std::string& api, const std::string& kind, const std::string& json) {
    const auto workload = *workloads::DecodeWorkload(api, kind, json, names_);
    Tell([workload](SimulatedView& view) { view.SetWorkload(workload); });
  }
  void Delete(const std::string& uid) {
    Tell([uid](SimulatedView& view) { view.RemoveWorkload(uid); });
  }
  void PutDeployment(const std::string& name, const std::string& group, int replicas,
                     const std::string& version = "1") {
    Put("apps", "Deployment",
        Concat(R"({"metadata":{"name":")", name, R"(","namespace":"ns","uid":")", name, "-", version,
               R"(","resourceVersion":"1","labels":{"biz.group.resource.quota":")", group, R"("}},"spec":{"replicas":)",
               std::to_string(replicas),
               R"(,"template":{"spec":{"containers":[{"name":"app","resources":{"limits":{"cpu":"1"}}}]}}}})"));
  }
  // Of one core; `owner`: the UID of a Deployment.
  void PutPod(const std::string& name, const std::string& owner, Time scheduled, const std::string& phase = "Running",
              std::optional<Time> ended = std::nullopt) {
    const std::string finished =
        ended ? Concat(R"(,"containerStatuses":[{"name":"app","state":{"terminated":{"finishedAt":")",
                       FormatRfc3339(*ended), R"("}}}])")
              : "";
    Put("", "Pod",
        Concat(R"({"metadata":{"name":")", name, R"(","namespace":"ns","uid":")", name,
               R"(","ownerReferences":[{"apiVersion":"apps/v1","kind":"Deployment","name":"o","uid":")", owner,
               R"(","controller":true}]},"spec":{"containers":[{"name":"app","resources":{"limits":{"cpu":"1"}}}]},)",
               R"("status":{"phase":")", phase,
               R"(","conditions":[{"type":"PodScheduled","status":"True","lastTransitionTime":")",
               FormatRfc3339(scheduled), R"("}])", finished, "}}"));
  }

  StatusOr<cluster::BizGroupQuota> Swap(const cluster::BizGroupQuota& next, bool status) {
    const auto found = groups_.find(next.name);
    if (found == groups_.end()) return absl::NotFoundError("not found");
    cluster::BizGroupQuota& known = found->second;
    if (next.uid != known.uid || next.resource_version != known.resource_version) {
      return absl::AbortedError("the object has been modified");
    }
    cluster::BizGroupQuota group = known;
    if (status) {
      group = next;
      group.hard = known.hard;
      group.parent = known.parent;
      group.deleting = known.deleting;
      group.finalizers = known.finalizers;
      ++status_writes;
    } else {
      group.finalizers = next.finalizers;
      group.hard = next.hard;
      group.transfers = next.transfers;
    }
    Store(group);
    const cluster::BizGroupQuota stored = groups_.at(next.name);
    Reap(next.name);
    return stored;
  }
  StatusOr<cluster::QuotaTransfer> Swap(cluster::QuotaTransfer next, bool status) {
    const auto found = transfers_.find(next.name);
    if (found == transfers_.end()) return absl::NotFoundError("not found");
    const cluster::QuotaTransfer& known = found->second;
    if (next.uid != known.uid || next.resource_version != known.resource_version) {
      return absl::AbortedError("the object has been modified");
    }
    cluster::QuotaTransfer transfer = status ? next : known;
    transfer.finalizer = status ? known.finalizer : next.finalizer;
    transfer.deleting = known.deleting;
    transfer.until = known.until;
    Store(std::move(transfer));
    cluster::QuotaTransfer stored = transfers_.at(next.name);
    ReapTransfer(next.name);
    return stored;
  }

  int status_writes = 0;
  std::function<void()> before_write;  // once
  std::function<void()> on_write;      // before each write of a controller
  std::function<void()> on_stored;     // after each change of a group or a transfer
  std::map<std::string, LeftHours> left_hours;
  Status hours_fault;  // of whoever reads or writes these

 private:
  void Store(cluster::BizGroupQuota group) {
    group.resource_version = std::to_string(++version_);
    groups_[group.name] = group;
    Tell([group](SimulatedView& view) { view.Set(group); });
    if (on_stored) on_stored();
  }
  void Store(cluster::QuotaTransfer transfer) {
    transfer.resource_version = std::to_string(++version_);
    transfers_[transfer.name] = transfer;
    Tell([transfer](SimulatedView& view) { view.Set(transfer); });
    if (on_stored) on_stored();
  }
  void ReapTransfer(const std::string& name) {
    const auto found = transfers_.find(name);
    if (!found->second.deleting || found->second.finalizer) return;
    Tell([uid = found->second.uid](SimulatedView& view) { view.TransferGone(uid); });
    transfers_.erase(found);
  }
  void Reap(const std::string& name) {
    const auto found = groups_.find(name);
    if (!found->second.deleting || !found->second.finalizers.empty()) return;
    groups_.erase(found);
    Tell([name](SimulatedView& view) { view.Gone(name); });
  }
  void Tell(const std::function<void(SimulatedView&)>& tell) {
    for (SimulatedView* each : views_) time_.After(each->lag, [each, tell] { tell(*each); });
  }

  test::VirtualTime& time_;
  ResourceNames names_;
  std::map<std::string, cluster::BizGroupQuota> groups_;
  std::map<std::string, cluster::QuotaTransfer> transfers_;
  std::vector<SimulatedView*> views_;
  uint64_t version_ = 100;
  int uids_ = 0;
};

class SimulatedStore final : public GroupStore {
 public:
  SimulatedStore(SimulatedServer& server, test::VirtualTime& time) : server_(server), time_(time) {}

  void WriteStatus(const cluster::BizGroupQuota& group, Done done) override { Write(group, true, std::move(done)); }
  void WriteFinalizers(const cluster::BizGroupQuota& group, Done done) override {
    Write(group, false, std::move(done));
  }
  void WriteBudget(const cluster::BizGroupQuota& group, const cluster::QuotaAmounts& hard,
                   const std::string& transfer_uid, bool marked, Done done) override {
    cluster::BizGroupQuota changed = group;
    for (const auto& [key, amount] : hard) quota::Set(changed.hard, key, amount);
    if (marked) changed.transfers.insert(transfer_uid);
    if (!marked) changed.transfers.erase(transfer_uid);
    Write(changed, false, std::move(done));
  }
  void Read(const std::string& name, Done done) override {
    time_.After(milliseconds(1), [this, name, done = std::move(done)] {
      if (!server_.Has(name)) return done(absl::NotFoundError("not found"));
      done(server_.group(name));
    });
  }

 private:
  void Write(const cluster::BizGroupQuota& group, bool status, Done done) {
    time_.After(milliseconds(1), [this, group, status, done = std::move(done)] {
      if (auto before = std::exchange(server_.before_write, nullptr)) before();
      if (server_.on_write) server_.on_write();
      const auto stored = server_.Swap(group, status);
      time_.After(milliseconds(2), [done, stored] { done(stored); });
    });
  }

  SimulatedServer& server_;
  test::VirtualTime& time_;
};

class SimulatedTransferStore final : public TransferStore {
 public:
  SimulatedTransferStore(SimulatedServer& server, test::VirtualTime& time) : server_(server), time_(time) {}

  void WriteStatus(const cluster::QuotaTransfer& transfer, Done done) override {
    Write(transfer, true, std::move(done));
  }
  void WriteFinalizers(const cluster::QuotaTransfer& transfer, Done done) override {
    Write(transfer, false, std::move(done));
  }
  void Read(const std::string& name, Done done) override {
    time_.After(milliseconds(1), [this, name, done = std::move(done)] {
      if (!server_.HasTransfer(name)) return done(absl::NotFoundError("not found"));
      done(server_.transfer(name));
    });
  }

 private:
  void Write(const cluster::QuotaTransfer& transfer, bool status, Done done) {
    time_.After(milliseconds(1), [this, transfer, status, done = std::move(done)] {
      if (server_.on_write) server_.on_write();
      const auto stored = server_.Swap(transfer, status);
      time_.After(milliseconds(2), [done, stored] { done(stored); });
    });
  }

  SimulatedServer& server_;
  test::VirtualTime& time_;
};

class SimulatedHours final : public LeftHoursStore {
 public:
  SimulatedHours(SimulatedServer& server, test::VirtualTime& time) : server_(server), time_(time) {}

  void Keep(const std::string& group, const LeftHours& left, Kept done) override {
    time_.After(milliseconds(1), [this, group, left, done = std::move(done)] {
      if (server_.hours_fault.ok()) server_.left_hours[group] = left;
      done(server_.hours_fault);
    });
  }
  void Find(const std::string& group, Found done) override {
    time_.After(milliseconds(1), [this, group, done = std::move(done)] {
      if (!server_.hours_fault.ok()) return done(server_.hours_fault);
      const auto found = server_.left_hours.find(group);
      done(found == server_.left_hours.end() ? std::nullopt : std::optional(found->second));
    });
  }

 private:
  SimulatedServer& server_;
  test::VirtualTime& time_;
};

inline reconcile::ReconcileLoop::Environment LoopOf(test::VirtualTime& time, observe::Log& log) {
  return {.clock = time,
          .log = log,
          .monotonic = [&time] { return time.Monotonic(); },
          .after = [&time](Duration delay, auto task) { time.After(delay, std::move(task)); },
          .random = [] { return 0.5; }};
}

// One instance.
class SimulatedController {
 public:
  SimulatedController(SimulatedServer& server, test::VirtualTime& time, Duration resync = minutes(5))
      : reconciler_(
            view, std::make_unique<SimulatedStore>(server, time),
            {time, captured_.log, [&time] { return time.Monotonic(); }, std::make_shared<SimulatedHours>(server, time)},
            {}),
        loop(reconciler_, LoopOf(time, captured_.log), resync) {
    server.Watch(view);
  }
  const observe::QuotaCounts& counts() const { return reconciler_.counts(); }
  std::vector<std::string> Lines() const { return captured_.Lines(); }

  SimulatedView view;

 private:
  observe::CapturedLog captured_;
  QuotaReconciler reconciler_;

 public:
  reconcile::ReconcileLoop loop;
};

}  // namespace huygens::controller
