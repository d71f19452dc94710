#include "controller/quota_reconciler.h"

#include <algorithm>
#include <set>
#include <utility>

#include "controller/filled_budgets.h"
#include "quota/transfer.h"

namespace huygens::controller {
namespace {

using cluster::BizGroupQuota;

// What comes together is counted together.
constexpr Duration kBatch = std::chrono::milliseconds(100);
// How often one attempt is repeated where the webhook is faster.
constexpr int kMostConflicts = 8;
// Between looks at what keeps a group that is being deleted, where nobody tells.
constexpr Duration kKeptPause = std::chrono::seconds(2);

}  // namespace

QuotaReconciler::QuotaReconciler(ClusterView& cluster, std::unique_ptr<GroupStore> store, Environment environment,
                                 Options options)
    : cluster_(cluster),
      store_(std::move(store)),
      environment_(std::move(environment)),
      use_(cluster, std::move(options.keys), options.replicas),
      count_(cluster, use_, hours_, inheritance_, options.count) {}

void QuotaReconciler::Start(reconcile::WorkKeys& keys) {
  keys_ = &keys;
  cluster_.Observe(*this);
}

void QuotaReconciler::ForEachKey(absl::FunctionRef<void(std::string_view)> visit) const {
  cluster_.groups().ForEach([&](const BizGroupQuota& each) { visit(each.name); });
}

void QuotaReconciler::RefreshMetrics(observe::Metrics& metrics) const {
  metrics.controller().SetQuota(counts_);
  metrics.controller().SetFilled(FilledBudgets(cluster_.groups()));
}

void QuotaReconciler::Reconcile(const std::string& key, Done done) {
  Try(std::make_shared<Attempt>(Attempt{key, std::move(done)}));
}

void QuotaReconciler::Try(const std::shared_ptr<Attempt>& attempt) {
  const BizGroupQuota* group = cluster_.groups().Find(attempt->group);
  if (group == nullptr || !group->defect.empty()) return attempt->done({});
  if (roots_.Unknown(*group)) {
    return roots_.LookUp(*group, [this, attempt](const Status& status) {
      if (!status.ok()) return attempt->done({.status = status});
      Try(attempt);
    });
  }
  const Time now = environment_.clock.Now();
  BizGroupQuota begun = *group;
  roots_.Resume(begun);
  Counted counted = count_.Count(begun, now, environment_.monotonic());
  if (!counted.hours.ok()) {
    if (const auto left_out = hours_warnings_.Allow(now)) {
      environment_.log.Warn("hours of a group are not counted",
                            {{"group", group->name}, {"why", Message(counted.hours)}, {"leftOut", *left_out}});
    }
  }
  if (!counted.write) {
    count_.Stands(counted, environment_.monotonic());
    // Nothing was consumed up to now, or what was is still to be written.
    if (counted.group.exact_hours == group->exact_hours && counted.group.last_reconcile) {
      hours_.Counted(group->name, *counted.group.last_reconcile);
    }
    return Finish(attempt, counted.again);
  }
  const BizGroupQuota written = counted.group;
  store_->WriteStatus(written, [this, attempt, counted = std::move(counted)](StatusOr<BizGroupQuota> stored) {
    if (!stored.ok()) return Conflict(attempt, stored.status());
    Note(counted);
    count_.Stands(counted, environment_.monotonic());
    if (stored->last_reconcile) hours_.Counted(stored->name, *stored->last_reconcile);
    Take(*stored);
    Finish(attempt, counted.again);
  });
}

void QuotaReconciler::Conflict(const std::shared_ptr<Attempt>& attempt, const Status& why) {
  if (absl::IsNotFound(why)) return attempt->done({});  // the watch will say so
  if (!absl::IsAborted(why)) return attempt->done({.status = why});
  ++counts_.conflicts;
  if (++attempt->conflicts >= kMostConflicts) return attempt->done({.status = why});
  store_->Read(attempt->group, [this, attempt](StatusOr<BizGroupQuota> read) {
    if (absl::IsNotFound(read.status())) return attempt->done({});
    if (!read.ok()) return attempt->done({.status = read.status()});
    if (cluster_.groups().Find(attempt->group) == nullptr)
      return attempt->done({});  // the watch said since that it went
    cluster_.Set(*std::move(read));
    Try(attempt);
  });
}

void QuotaReconciler::Finish(const std::shared_ptr<Attempt>& attempt, std::optional<Duration> again) {
  const BizGroupQuota* group = cluster_.groups().Find(attempt->group);
  if (group == nullptr) return attempt->done({});
  if (group->deleting == !HasFinalizer(*group)) return attempt->done({.again = again});
  BizGroupQuota changed = *group;
  if (!group->deleting) {
    changed.finalizers.emplace_back(kFinalizer);
    return WriteFinalizers(attempt, changed, again);
  }
  const bool kept = !inheritance_.KeptBy(*group, environment_.clock.Now()).empty();
  if (!kept && roots_.Leaves(*group)) {
    return roots_.Keep(*group, [this, attempt](const Status& status) {
      if (!status.ok()) return attempt->done({.status = status});
      Try(attempt);
    });
  }
  const bool leaves = inheritance_.LeavesHours(*group);
  if (!kept && leaves) keys_->Add(group->parent);
  if (kept || leaves) return attempt->done({.again = std::min(again.value_or(kKeptPause), kKeptPause)});
  std::erase(changed.finalizers, kFinalizer);
  WriteFinalizers(attempt, changed, again);
}

void QuotaReconciler::WriteFinalizers(const std::shared_ptr<Attempt>& attempt, const BizGroupQuota& group,
                                      std::optional<Duration> again) {
  store_->WriteFinalizers(group, [this, attempt, again](StatusOr<BizGroupQuota> stored) {
    if (!stored.ok()) return Conflict(attempt, stored.status());
    ++counts_.finalizers;
    // Of one that is gone the watch tells.
    if (!stored->deleting || !stored->finalizers.empty()) Take(*stored);
    attempt->done({.again = again});
  });
}

void QuotaReconciler::Take(const BizGroupQuota& stored) {
  if (cluster_.groups().Find(stored.name) == nullptr) return;  // the watch was faster with its end
  taking_ = &stored.name;
  cluster_.Set(stored);
  taking_ = nullptr;
}

void QuotaReconciler::Note(const Counted& counted) {
  ++(counted.write == WriteReason::kFigures   ? counts_.figures
     : counted.write == WriteReason::kSettled ? counts_.settled_writes
     : counted.write == WriteReason::kHours   ? counts_.hours
                                              : counts_.inherited);
  counts_.settled += counted.recounted.settled;
  counts_.expired += counted.recounted.expired;
  counts_.superseded += counted.recounted.superseded;
  if (counted.drift.empty()) return;
  for (const auto& [key, amount] : counted.drift) ++(amount.Sign() > 0 ? counts_.drift_over : counts_.drift_under);
  if (environment_.news != nullptr) environment_.news->Tell(counted.group, NewsOfDrift(counted.drift));
  const auto left_out = drift_warnings_.Allow(environment_.clock.Now());
  if (!left_out) return;
  environment_.log.Warn("the status of a group said something else than there is, and was put right",
                        {{"group", counted.group.name}, {"tooMuch", TextOf(counted.drift)}, {"leftOut", *left_out}});
}

void QuotaReconciler::TellParent(const std::string& group, const std::string& parent) {
  if (parent.empty()) return;
  quota::Amounts now = cluster_.groups().Commitment(group);
  const auto known = commitments_.find(group);
  if (known != commitments_.end() && known->second == now) return;
  commitments_.insert_or_assign(group, std::move(now));
  count_.Changed(parent);
  keys_->AddAfter(parent, kBatch);
}

void QuotaReconciler::GroupChanged(const BizGroupQuota* before, const BizGroupQuota* after) {
  const BizGroupQuota& any = after != nullptr ? *after : *before;
  hours_.GroupChanged(before, after);
  if (after == nullptr) {
    if (inheritance_.Gone(any, environment_.clock.Now())) keys_->AddAfter(any.parent, kBatch);
    roots_.Gone(any);
    commitments_.erase(any.name);
    count_.Forget(any.name);
    if (any.parent.empty()) return;
    count_.Changed(any.parent);
    return keys_->AddAfter(any.parent, kBatch);
  }
  TellParent(after->name, after->parent);
  if (environment_.news != nullptr && before != nullptr) {
    for (const QuotaNews& each : NewsOf(*before, *after)) environment_.news->Tell(*after, each);
  }
  // Those that waited for it to take their hours over may go.
  for (const BizGroupQuota* child : cluster_.groups().ChildrenOf(after->name)) {
    if (child->deleting) keys_->AddAfter(child->name, kBatch);
  }
  if (before != nullptr && before->hard != after->hard) count_.Changed(after->name);
  if (before != nullptr && before->transfers != after->transfers) {
    cluster_.transfers().ForEach([&](const cluster::QuotaTransfer& each) {
      if (before->transfers.contains(each.uid) != after->transfers.contains(each.uid)) CountGroupsOf(each);
    });
  }
  if (taking_ == nullptr || *taking_ != after->name) keys_->AddAfter(after->name, kBatch);
}

void QuotaReconciler::TransferChanged(const cluster::QuotaTransfer* before, const cluster::QuotaTransfer* after) {
  for (const cluster::QuotaTransfer* each : {before, after}) {
    if (each != nullptr && quota::IsUnderWay(each->phase)) CountGroupsOf(*each);
  }
  if (environment_.news == nullptr || before == nullptr || after == nullptr) return;
  if (const auto news = NewsOf(*before, *after)) environment_.news->Tell(*after, *news);
}

void QuotaReconciler::CountGroupsOf(const cluster::QuotaTransfer& transfer) {
  std::set<std::string> groups(transfer.shrinking.begin(), transfer.shrinking.end());
  groups.insert(transfer.growing.begin(), transfer.growing.end());
  groups.insert(transfer.common);
  for (const std::string& each : groups) {
    if (cluster_.groups().Find(each) == nullptr) continue;
    count_.Changed(each);
    keys_->AddAfter(each, kBatch);
  }
}

void QuotaReconciler::WorkloadChanged(const workloads::WorkloadObject* before, const workloads::WorkloadObject* after) {
  hours_.WorkloadChanged(before, after, environment_.clock.Now());
  for (const std::string& group : use_.Concerned(before, after)) {
    count_.Changed(group);
    keys_->AddAfter(group, kBatch);
  }
}

}  // namespace huygens::controller
