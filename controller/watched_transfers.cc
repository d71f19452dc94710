#include "controller/watched_transfers.h"

#include <memory>
#include <utility>

#include "base/text.h"
#include "controller/transfer_calls.h"
#include "informer/watch_readiness.h"
#include "kube/api_call.h"
#include "kube/decoded_object.h"
#include "wire/object_meta.h"
#include "wire/quota_transfer.h"

namespace huygens::controller {
namespace {

using cluster::QuotaTransfer;

struct Decoded final : cluster::DecodedWorkload {
  explicit Decoded(QuotaTransfer decoded) : transfer(std::move(decoded)) {}
  const QuotaTransfer transfer;
};

// One that cannot be used comes with its defect, so that what is known of it stays and nothing is done with it.
kube::DecodedObject Present(std::string_view json, uint64_t resource_version) {
  kube::DecodedObject result{.event = std::nullopt, .fault = {}, .name = "(no name)"};
  auto transfer = wire::DecodeQuotaTransfer(json);
  const auto meta = wire::DecodeObjectMeta(json);
  if (!transfer.ok() || !meta.ok() || meta->uid.empty()) {
    result.fault = transfer.ok() ? Invalid("an object without a UID") : transfer.status();
    return result;
  }
  result.name = transfer->name;
  if (!transfer->defect.empty()) {
    result.fault = Invalid(transfer->defect);
    transfer->uid = meta->uid;
    transfer->resource_version = meta->resource_version;
  }
  result.event = cluster::WorkloadSet{std::make_shared<const Decoded>(*std::move(transfer)), resource_version};
  return result;
}

kube::Resource TransfersResource() {
  kube::Resource resource;
  resource.paths = {std::string(kTransfersPath)};
  resource.optional = true;
  resource.why_absent =
      "the API server does not serve this kind: its definition (config/crd/quotatransfers.yaml) is not installed";
  resource.why_forbidden = [](const net::HttpReply& reply) {
    return Concat(kube::ReplyText(reply),
                  ": the ClusterRole of huygens controller lacks the rules for quotatransfers; ",
                  "without them no transfer is carried out");
  };
  resource.present = Present;
  resource.deleted = [](std::string_view json) { return kube::DecodeDeleted(cluster::Kind::kWorkload, json); };
  return resource;
}

}  // namespace

WatchedTransfers::WatchedTransfers(ResourceNames& names, net::EventLoop& loop, observe::Log& log,
                                   observe::Metrics& metrics, OnSet on_set, OnGone on_gone)
    : FollowedObjects("quotatransfers.quota.huygens.dev", names, loop, log, metrics),
      on_set_(std::move(on_set)),
      on_gone_(std::move(on_gone)) {}

Status WatchedTransfers::Start(const net::ClientOptions& api_server) {
  return FollowedObjects::Start(api_server, TransfersResource());
}

std::string WatchedTransfers::NotReady() const {
  if (complete() || Watch().state == kube::WatchState::kForbidden) return "";
  const informer::Missing missing[] = {NotListed()};
  return informer::WaitingText(missing);
}

std::string WatchedTransfers::Set(const cluster::DecodedWorkload& object) {
  const QuotaTransfer& transfer = static_cast<const Decoded&>(object).transfer;
  on_set_(transfer);
  return transfer.uid;
}

}  // namespace huygens::controller
