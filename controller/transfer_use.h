// What is used of groups as a transfer sees it that goes on: without what it keeps of them itself. Owned by one thread.
#pragma once

#include <string>

#include "base/time.h"
#include "cluster/quota_transfer.h"
#include "controller/cluster_view.h"
#include "controller/group_use.h"
#include "quota/transfer.h"

namespace huygens::controller {

class TransferUse {
 public:
  // What is referred to must outlive this.
  TransferUse(const ClusterView& cluster, quota::KeyOptions keys, quota::ReplicaOptions replicas)
      : cluster_(cluster), use_(cluster, std::move(keys), replicas) {}

  // The next step by the cluster as it is known.
  quota::TransferStep NextStep(const cluster::QuotaTransfer& transfer, Time now) const;
  // `step.payer` with the reservation that the step wants, counted.
  cluster::BizGroupQuota Reserved(const quota::TransferStep& step, Time now) const;

 private:
  // The group with the figures that its status must have by its reservations, of which none ends for its age.
  cluster::BizGroupQuota Counted(cluster::BizGroupQuota group, std::string_view without_transfer) const;

  const ClusterView& cluster_;
  const GroupUse use_;
};

}  // namespace huygens::controller
