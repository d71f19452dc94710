// Where transfers are kept: the API server, or in tests what stands in for it. Answers come as those of GroupStore.
#pragma once

#include <functional>
#include <string>

#include "base/status.h"
#include "cluster/quota_transfer.h"

namespace huygens::controller {

class TransferStore {
 public:
  // The object as it is stored now; errors as GroupStore::Done has them.
  using Done = std::function<void(StatusOr<cluster::QuotaTransfer>)>;

  virtual ~TransferStore() = default;
  // If the transfer still has this UID and resource version: its status, its finalizers.
  virtual void WriteStatus(const cluster::QuotaTransfer& transfer, Done done) = 0;
  virtual void WriteFinalizers(const cluster::QuotaTransfer& transfer, Done done) = 0;
  virtual void Read(const std::string& name, Done done) = 0;
};

}  // namespace huygens::controller
