// Carries out transfers of budget between groups (quota/transfer.h): one write at a time, each upon what was last read,
// then looks again. Its keys are the names of transfers.
//
// A group's budget changes together with the mark that it has, and only if the group is as it was when the step was
// found, so no step is done twice by an instance that knows less than there is. That a transfer or its groups are further
// than the watches have told could still mislead, such as to end one whose marks are not known yet: before this instance
// first writes anything for one, in the time that it leads, it reads it and the groups on its way.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/text.h"
#include "base/time.h"
#include "controller/cluster_view.h"
#include "controller/group_store.h"
#include "controller/transfer_store.h"
#include "controller/transfer_use.h"
#include "observe/log.h"
#include "reconcile/reconciler.h"

namespace huygens::controller {

class TransferReconciler final : public reconcile::Reconciler, public ClusterObserver {
 public:
  struct Environment {
    const Clock& clock;
    observe::Log& log;
  };

  // What is referred to must outlive this.
  TransferReconciler(ClusterView& cluster, std::unique_ptr<GroupStore> groups, std::unique_ptr<TransferStore> transfers,
                     Environment environment, quota::KeyOptions keys, quota::ReplicaOptions replicas);

  std::string_view name() const override { return "transfers"; }
  void Start(reconcile::WorkKeys& keys) override;
  std::string NotReady() const override { return cluster_.NotReady(); }
  void ForEachKey(absl::FunctionRef<void(std::string_view)> visit) const override;
  void Reconcile(const std::string& key, Done done) override;
  void StopLeading() override { read_.clear(); }

  void GroupChanged(const cluster::BizGroupQuota* before, const cluster::BizGroupQuota* after) override;
  void TransferChanged(const cluster::QuotaTransfer* before, const cluster::QuotaTransfer* after) override;

 private:
  // Whether another one on its way goes first where both pass: what a group has reserved for a child would be taken for
  // both, and only one of them would be counted.
  bool Yields(const cluster::QuotaTransfer& transfer) const;
  // Reads it and its groups, and looks at it again.
  void Begin(const std::string& name, const Done& done);
  void ReadGroups(const std::string& uid, std::vector<std::string> groups, const Done& done);
  // `then`: with what was read, once it is known.
  void Read(const std::string& name, const Done& done, std::function<void(const cluster::QuotaTransfer&)> then);
  void ReadGroup(const std::string& group, const Done& done);
  void Do(const cluster::QuotaTransfer& transfer, const quota::TransferStep& step, Done done);
  void DoOfGroup(const cluster::QuotaTransfer& transfer, const quota::TransferStep& step, Done done);
  TransferStore::Done WrittenTransfer(const cluster::QuotaTransfer& before, Done done);
  GroupStore::Done WrittenGroup(const std::string& group, Done done);
  void Note(const cluster::QuotaTransfer& before, const cluster::QuotaTransfer& after) const;

  ClusterView& cluster_;
  const std::unique_ptr<GroupStore> groups_;
  const std::unique_ptr<TransferStore> transfers_;
  const Environment environment_;
  const TransferUse use_;
  reconcile::WorkKeys* keys_ = nullptr;
  TextSet read_;  // UIDs of those that were read since this instance leads
};

}  // namespace huygens::controller
