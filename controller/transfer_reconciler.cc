#include "controller/transfer_reconciler.h"

#include <algorithm>
#include <utility>

#include "wire/quota_transfer.h"

namespace huygens::controller {
namespace {

using cluster::BizGroupQuota;
using cluster::QuotaTransfer;
using quota::TransferStep;
using Kind = quota::TransferStep::Kind;
using Phase = cluster::QuotaTransfer::Phase;

// What comes together is looked at together.
constexpr Duration kBatch = std::chrono::milliseconds(100);

const reconcile::Reconciled kGoOn{.again = Duration::zero()};

// Whether a group is on both ways.
bool Share(const QuotaTransfer& one, const QuotaTransfer& other) {
  const auto on_other = [&](const std::string& group) { return Names(other, group); };
  return on_other(one.common) || std::any_of(one.shrinking.begin(), one.shrinking.end(), on_other) ||
         std::any_of(one.growing.begin(), one.growing.end(), on_other);
}

bool WaitsForGroups(Phase phase) { return phase == Phase::kPending || quota::IsUnderWay(phase); }

}  // namespace

TransferReconciler::TransferReconciler(ClusterView& cluster, std::unique_ptr<GroupStore> groups,
                                       std::unique_ptr<TransferStore> transfers, Environment environment,
                                       quota::KeyOptions keys, quota::ReplicaOptions replicas)
    : cluster_(cluster),
      groups_(std::move(groups)),
      transfers_(std::move(transfers)),
      environment_(environment),
      use_(cluster, std::move(keys), replicas) {}

void TransferReconciler::Start(reconcile::WorkKeys& keys) {
  keys_ = &keys;
  cluster_.Observe(*this);
}

void TransferReconciler::ForEachKey(absl::FunctionRef<void(std::string_view)> visit) const {
  cluster_.transfers().ForEach([&](const QuotaTransfer& each) { visit(each.name); });
}

void TransferReconciler::Reconcile(const std::string& key, Done done) {
  const QuotaTransfer* transfer = cluster_.transfers().Find(key);
  if (transfer == nullptr || !transfer->defect.empty()) return done({});
  const Time now = environment_.clock.Now();
  const TransferStep step = use_.NextStep(*transfer, now);
  if (step.kind == Kind::kWait) {
    if (!step.look_again) return done({});
    return done({.again = std::max<Duration>(*step.look_again - now, Duration::zero())});
  }
  const bool of_group = step.kind == Kind::kReserve || step.kind == Kind::kChangeBudget;
  if (of_group && Yields(*transfer)) return done({});
  if (!read_.contains(transfer->uid)) return Begin(key, done);
  Do(*transfer, step, std::move(done));
}

// One that waits for room lets others pass.
bool TransferReconciler::Yields(const QuotaTransfer& transfer) const {
  bool yields = false;
  cluster_.transfers().ForEach([&](const QuotaTransfer& other) {
    if (!quota::IsUnderWay(transfer.phase) || other.name >= transfer.name) return;
    yields = yields || (quota::IsUnderWay(other.phase) && other.message.empty() && other.defect.empty() &&
                        Share(transfer, other));
  });
  return yields;
}

void TransferReconciler::Read(const std::string& name, const Done& done,
                              std::function<void(const QuotaTransfer&)> then) {
  transfers_->Read(name, [this, name, done, then = std::move(then)](const StatusOr<QuotaTransfer>& read) {
    if (absl::IsNotFound(read.status())) return done({});  // the watch will say so
    if (!read.ok()) return done({.status = read.status()});
    if (cluster_.transfers().Find(name) == nullptr) return done({});  // it has said so since
    cluster_.Set(*read);
    then(*read);
  });
}

void TransferReconciler::Begin(const std::string& name, const Done& done) {
  Read(name, done, [this, done](const QuotaTransfer& read) {
    std::vector<std::string> groups = read.shrinking;
    groups.insert(groups.end(), read.growing.begin(), read.growing.end());
    ReadGroups(read.uid, std::move(groups), done);
  });
}

void TransferReconciler::ReadGroups(const std::string& uid, std::vector<std::string> groups, const Done& done) {
  if (groups.empty()) {
    read_.insert(uid);
    return done(kGoOn);
  }
  const std::string group = std::move(groups.back());
  groups.pop_back();
  const bool known = cluster_.groups().Find(group) != nullptr;
  groups_->Read(
      group, [this, group, known, uid, groups = std::move(groups), done](StatusOr<BizGroupQuota> read) mutable {
        if (!read.ok() && !absl::IsNotFound(read.status())) return done({.status = read.status()});
        const bool has_gone = known && cluster_.groups().Find(group) == nullptr;  // as the watch has said since
        if (read.ok() && !has_gone) cluster_.Set(*std::move(read));
        ReadGroups(uid, std::move(groups), done);
      });
}

void TransferReconciler::ReadGroup(const std::string& group, const Done& done) {
  groups_->Read(group, [this, group, done](StatusOr<BizGroupQuota> read) {
    if (absl::IsNotFound(read.status())) return done({});  // the watch will say so
    if (!read.ok()) return done({.status = read.status()});
    if (cluster_.groups().Find(group) == nullptr) return done({});  // it has said so since
    cluster_.Set(*std::move(read));
    done(kGoOn);
  });
}

TransferStore::Done TransferReconciler::WrittenTransfer(const QuotaTransfer& before, Done done) {
  return [this, before, name = before.name, done = std::move(done)](StatusOr<QuotaTransfer> stored) {
    if (absl::IsNotFound(stored.status())) return done({});
    if (absl::IsAborted(stored.status())) return Read(name, done, [done](const QuotaTransfer&) { done(kGoOn); });
    if (!stored.ok()) return done({.status = stored.status()});
    const QuotaTransfer* known = cluster_.transfers().Find(name);
    // Of one that is gone the watch tells.
    const bool gone = known == nullptr || (stored->deleting && !stored->finalizer && stored->other_finalizers.empty());
    if (gone) return done({});
    Note(before, *stored);
    cluster_.Set(*std::move(stored));
    done(kGoOn);
  };
}

GroupStore::Done TransferReconciler::WrittenGroup(const std::string& group, Done done) {
  return [this, group, done = std::move(done)](StatusOr<BizGroupQuota> stored) {
    if (absl::IsNotFound(stored.status())) return done({});
    if (absl::IsAborted(stored.status())) return ReadGroup(group, done);
    if (!stored.ok()) return done({.status = stored.status()});
    if (cluster_.groups().Find(group) != nullptr) cluster_.Set(*std::move(stored));
    done(kGoOn);
  };
}

void TransferReconciler::Do(const QuotaTransfer& transfer, const TransferStep& step, Done done) {
  QuotaTransfer changed = transfer;
  switch (step.kind) {
    case Kind::kWait:
      return done({});
    case Kind::kAddFinalizer:
    case Kind::kRemoveFinalizer:
      changed.finalizer = step.kind == Kind::kAddFinalizer;
      return transfers_->WriteFinalizers(changed, WrittenTransfer(transfer, std::move(done)));
    case Kind::kWriteStatus:
      return transfers_->WriteStatus(step.transfer, WrittenTransfer(transfer, std::move(done)));
    case Kind::kReserve:
    case Kind::kChangeBudget:
      return DoOfGroup(transfer, step, std::move(done));
  }
}

void TransferReconciler::DoOfGroup(const QuotaTransfer& transfer, const TransferStep& step, Done done) {
  const bool reserves = step.kind == Kind::kReserve;
  const BizGroupQuota* group = cluster_.groups().Find(step.group);
  const BizGroupQuota* payer = reserves ? cluster_.groups().Find(step.payer) : group;
  for (const BizGroupQuota* each : {group, payer}) {
    // What cannot be read cannot be written either.
    if (each == nullptr || !each->defect.empty()) return done({});
  }
  if (reserves) {
    return groups_->WriteStatus(use_.Reserved(step, environment_.clock.Now()),
                                WrittenGroup(step.payer, std::move(done)));
  }
  groups_->WriteBudget(*group, quota::SpeltAs(group->hard, step.hard), transfer.uid, step.marked,
                       WrittenGroup(step.group, std::move(done)));
}

void TransferReconciler::Note(const QuotaTransfer& before, const QuotaTransfer& after) const {
  if (before.phase == after.phase) return;
  environment_.log.Info("transfer of budget", {{"transfer", after.name},
                                               {"from", after.from},
                                               {"to", after.to},
                                               {"phase", wire::PhaseText(after.phase)},
                                               {"why", after.message}});
}

void TransferReconciler::GroupChanged(const BizGroupQuota* before, const BizGroupQuota* after) {
  const std::string& name = (after != nullptr ? after : before)->name;
  const bool comes_or_goes = before == nullptr || after == nullptr;
  cluster_.transfers().ForEach([&](const QuotaTransfer& each) {
    if (!WaitsForGroups(each.phase)) return;
    // Before it has found its way any group may be what it lacks.
    if (Names(each, name) || (comes_or_goes && each.phase == Phase::kPending)) keys_->AddAfter(each.name, kBatch);
  });
}

void TransferReconciler::TransferChanged(const QuotaTransfer* before, const QuotaTransfer* after) {
  if (after == nullptr) {
    read_.erase(before->uid);
  } else {
    keys_->Add(after->name);
  }
  if (before == nullptr || !quota::IsUnderWay(before->phase)) return;
  cluster_.transfers().ForEach([&](const QuotaTransfer& each) {
    if (quota::IsUnderWay(each.phase) && each.name > before->name) keys_->AddAfter(each.name, kBatch);
  });
}

}  // namespace huygens::controller
