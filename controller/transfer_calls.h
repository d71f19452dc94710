// A QuotaTransfer at the API server: its status and its finalizers. Blocking; one thread per client. Errors as those of
// kube/object_call.h.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "base/time.h"
#include "cluster/quota_transfer.h"
#include "net/client.h"

namespace huygens::controller {

inline constexpr std::string_view kTransfersPath = "/apis/quota.huygens.dev/v1alpha1/quotatransfers";

// Replaces the status, if the transfer still has this UID and resource version, and returns the object as it is now.
StatusOr<cluster::QuotaTransfer> WriteTransferStatus(net::Client& client, const cluster::QuotaTransfer& transfer,
                                                     Duration timeout);
// Replaces its finalizers, likewise; without the last one an object that is being deleted is gone, and as it was returned.
StatusOr<cluster::QuotaTransfer> WriteTransferFinalizers(net::Client& client, const cluster::QuotaTransfer& transfer,
                                                         Duration timeout);
StatusOr<cluster::QuotaTransfer> ReadTransfer(net::Client& client, const std::string& name, Duration timeout);

}  // namespace huygens::controller
