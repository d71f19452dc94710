// A QuotaTransfer, quota.huygens.dev/v1alpha1 (config/crd/quotatransfers.yaml). What is JSON but cannot be used comes
// back with `defect` set. Fails on text that is not a JSON object with metadata.name. Safe on any thread.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "cluster/quota_transfer.h"

namespace huygens::wire {

StatusOr<cluster::QuotaTransfer> DecodeQuotaTransfer(std::string_view json);

// "Pending", "Moving", "Moved", "Lent", "Overdue", "Returning", "Returned", "Refused".
std::string_view PhaseText(cluster::QuotaTransfer::Phase phase);

// As POST takes it; without a name the API server makes one from "FROM-TO-".
std::string EncodeQuotaTransfer(const cluster::QuotaTransfer& transfer);
// As PUT .../status takes it; what it says besides status is there for the guards by UID and resourceVersion alone.
std::string EncodeTransferStatus(const cluster::QuotaTransfer& transfer);
// Its finalizers as a merge patch, with the same guards.
std::string EncodeTransferFinalizers(const cluster::QuotaTransfer& transfer);

}  // namespace huygens::wire
