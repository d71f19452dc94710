#include "controller/transfer_calls.h"

#include "base/text.h"
#include "kube/api_call.h"
#include "kube/object_call.h"
#include "wire/quota_transfer.h"

namespace huygens::controller {
namespace {

using cluster::QuotaTransfer;

StatusOr<std::string> PathOf(const std::string& name) {
  if (!kube::IsObjectName(name)) return Invalid("the name of the transfer is no name of Kubernetes");
  return Concat(kTransfersPath, "/", name);
}

}  // namespace

StatusOr<QuotaTransfer> WriteTransferStatus(net::Client& client, const QuotaTransfer& transfer, Duration timeout) {
  HUYGENS_ASSIGN_OR_RETURN(const std::string path, PathOf(transfer.name));
  return kube::CallForObject(wire::DecodeQuotaTransfer, client, "PUT", Concat(path, "/status"),
                             wire::EncodeTransferStatus(transfer), timeout);
}

StatusOr<QuotaTransfer> WriteTransferFinalizers(net::Client& client, const QuotaTransfer& transfer, Duration timeout) {
  HUYGENS_ASSIGN_OR_RETURN(const std::string path, PathOf(transfer.name));
  return kube::CallForObject(wire::DecodeQuotaTransfer, client, "PATCH", path, wire::EncodeTransferFinalizers(transfer),
                             timeout, kube::PatchHeaders("merge"));
}

StatusOr<QuotaTransfer> ReadTransfer(net::Client& client, const std::string& name, Duration timeout) {
  HUYGENS_ASSIGN_OR_RETURN(const std::string path, PathOf(name));
  return kube::CallForObject(wire::DecodeQuotaTransfer, client, "GET", path, "", timeout);
}

}  // namespace huygens::controller
