// Keeps the status of groups: `huygens controller` counts again what the webhook charged, gives back what ended, and
// counts hours. Its keys are the names of groups; whoever hands something to its children is counted after them.
//
// The status is written upon what was last read, by UID and resource version: where the webhook was faster the group is
// read and counted anew. A group gets a finalizer, and loses it when its hours are its parent's
// (controller/inheritance.h), or written down where it has none (controller/root_hours.h).
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "base/time.h"
#include "controller/cluster_view.h"
#include "controller/followed_hours.h"
#include "controller/group_store.h"
#include "controller/group_use.h"
#include "controller/inheritance.h"
#include "controller/quota_news.h"
#include "controller/root_hours.h"
#include "controller/status_count.h"
#include "observe/controller_metrics.h"
#include "observe/log.h"
#include "observe/log_limit.h"
#include "observe/metrics.h"
#include "reconcile/reconciler.h"

namespace huygens::controller {

class QuotaReconciler final : public reconcile::Reconciler, public ClusterObserver {
 public:
  struct Options {
    StatusCount::Options count;
    quota::KeyOptions keys;
    quota::ReplicaOptions replicas;
  };
  struct Environment {
    const Clock& clock;
    observe::Log& log;
    std::function<Duration()> monotonic;
    std::shared_ptr<LeftHoursStore> left_hours = nullptr;  // of groups without a parent; null: they leave none
    std::shared_ptr<NewsSink> news = nullptr;              // null: nobody is told
  };

  // What is referred to must outlive this.
  QuotaReconciler(ClusterView& cluster, std::unique_ptr<GroupStore> store, Environment environment, Options options);

  std::string_view name() const override { return "quota"; }
  void Start(reconcile::WorkKeys& keys) override;
  std::string NotReady() const override { return cluster_.NotReady(); }
  void ForEachKey(absl::FunctionRef<void(std::string_view)> visit) const override;
  void Reconcile(const std::string& key, Done done) override;
  void RefreshMetrics(observe::Metrics& metrics) const override;

  void GroupChanged(const cluster::BizGroupQuota* before, const cluster::BizGroupQuota* after) override;
  void TransferChanged(const cluster::QuotaTransfer* before, const cluster::QuotaTransfer* after) override;
  void WorkloadChanged(const workloads::WorkloadObject* before, const workloads::WorkloadObject* after) override;

  const observe::QuotaCounts& counts() const { return counts_; }

 private:
  struct Attempt {
    std::string group;
    Done done;
    int conflicts = 0;
  };
  using Next = std::function<void()>;

  void Try(const std::shared_ptr<Attempt>& attempt);
  // The figures stand; `again` is when to look at them again.
  void Finish(const std::shared_ptr<Attempt>& attempt, std::optional<Duration> again);
  void WriteFinalizers(const std::shared_ptr<Attempt>& attempt, const cluster::BizGroupQuota& group,
                       std::optional<Duration> again);
  // Reads the group anew and tries again, or gives up for now.
  void Conflict(const std::shared_ptr<Attempt>& attempt, const Status& why);
  // Takes in what was stored, as nobody else's change.
  void Take(const cluster::BizGroupQuota& stored);
  void Note(const Counted& counted);
  // What it keeps of groups it may keep of others now.
  void CountGroupsOf(const cluster::QuotaTransfer& transfer);
  // The parent counts what the group takes of it.
  void TellParent(const std::string& group, const std::string& parent);

  ClusterView& cluster_;
  const std::unique_ptr<GroupStore> store_;
  const Environment environment_;
  GroupUse use_;
  FollowedHours hours_{cluster_, use_};
  Inheritance inheritance_{cluster_, use_, hours_};
  RootHours roots_{environment_.left_hours.get(), environment_.clock, environment_.log};
  StatusCount count_;
  reconcile::WorkKeys* keys_ = nullptr;
  const std::string* taking_ = nullptr;                             // the group that is being taken in
  std::map<std::string, quota::Amounts, std::less<>> commitments_;  // as parents were last told
  observe::QuotaCounts counts_;
  observe::RateLimit drift_warnings_{std::chrono::seconds(10)}, hours_warnings_{std::chrono::minutes(1)};
};

}  // namespace huygens::controller
