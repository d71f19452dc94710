// Groups and transfers at an API server, by calls that only the leader makes.
#pragma once

#include <string>

#include "base/time.h"
#include "controller/group_store.h"
#include "controller/transfer_store.h"
#include "reconcile/leader_calls.h"

namespace huygens::controller {

class ApiGroupStore final : public GroupStore {
 public:
  // `calls` must outlive it.
  explicit ApiGroupStore(reconcile::LeaderCalls& calls) : calls_(calls) {}

  void WriteStatus(const cluster::BizGroupQuota& group, Done done) override;
  void WriteFinalizers(const cluster::BizGroupQuota& group, Done done) override;
  void WriteBudget(const cluster::BizGroupQuota& group, const cluster::QuotaAmounts& hard,
                   const std::string& transfer_uid, bool marked, Done done) override;
  void Read(const std::string& name, Done done) override;

 private:
  reconcile::LeaderCalls& calls_;
};

class ApiTransferStore final : public TransferStore {
 public:
  // `calls` must outlive it.
  explicit ApiTransferStore(reconcile::LeaderCalls& calls) : calls_(calls) {}

  void WriteStatus(const cluster::QuotaTransfer& transfer, Done done) override;
  void WriteFinalizers(const cluster::QuotaTransfer& transfer, Done done) override;
  void Read(const std::string& name, Done done) override;

 private:
  reconcile::LeaderCalls& calls_;
};

}  // namespace huygens::controller
