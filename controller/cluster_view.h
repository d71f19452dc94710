// What reconcilers know of a cluster: groups and transfers between them, workloads and pods, classes of devices, and who
// is told when these change.
// Whoever watches fills it in. On the loop's thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/resource.h"
#include "base/time.h"
#include "controller/known_groups.h"
#include "controller/known_transfers.h"
#include "quota/device_classes.h"
#include "workloads/index.h"
#include "workloads/object.h"

namespace huygens::controller {

// Is told what has changed: before it, null where there was none, and after it, null where it is gone. The workloads of
// the cluster still are as before, groups and transfers as after. Valid during the call.
class ClusterObserver {
 public:
  virtual ~ClusterObserver() = default;
  virtual void GroupChanged(const cluster::BizGroupQuota* /*before*/, const cluster::BizGroupQuota* /*after*/) {}
  virtual void TransferChanged(const cluster::QuotaTransfer* /*before*/, const cluster::QuotaTransfer* /*after*/) {}
  virtual void WorkloadChanged(const workloads::WorkloadObject* /*before*/,
                               const workloads::WorkloadObject* /*after*/) {}
};

class ClusterView {
 public:
  virtual ~ClusterView() = default;

  // Before anything changes; the observer must outlive the changes.
  void Observe(ClusterObserver& observer) { observers_.push_back(&observer); }

  const KnownGroups& groups() const { return groups_; }
  const KnownTransfers& transfers() const { return transfers_; }
  // What the group, as it is given, uses on account of transfers where these reservations are all that it has; but for
  // the transfer of the UID `except`.
  quota::Amounts HeldBeside(cluster::BizGroupQuota group, const std::vector<cluster::QuotaReservation>& reservations,
                            std::string_view except = "") const;
  // Pods among them.
  virtual const workloads::WorkloadIndex& workloads() const = 0;
  const quota::DeviceClasses& classes() const { return classes_; }
  ResourceNames& names() { return names_; }
  const ResourceNames& names() const { return names_; }
  // A group or a transfer as it is now: from a watch, or as an API server has just answered, so that nobody waits for the
  // watch.
  void Set(cluster::BizGroupQuota group);
  void Set(cluster::QuotaTransfer transfer);

  // What was never listed yet, in words; empty: all was.
  virtual std::string NotReady() const = 0;
  // Since when nothing was heard of the kind, as reservations name it ("Deployment.apps", cluster::kGroupKind).
  virtual Duration Silence(std::string_view kind) const = 0;
  // Has the watch of the kind tell soon of all that there was when it was called.
  virtual void CatchUp(std::string_view kind) = 0;

 protected:
  void Remove(std::string_view group);
  // Nothing, where one of its name has come since.
  void RemoveTransfer(std::string_view uid);
  // Before `workloads` changes.
  void Tell(const workloads::WorkloadObject* before, const workloads::WorkloadObject* after);
  quota::DeviceClasses classes_;
  ResourceNames names_;

 private:
  std::vector<ClusterObserver*> observers_;
  KnownGroups groups_;
  KnownTransfers transfers_;
};

}  // namespace huygens::controller
