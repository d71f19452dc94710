#include "cli/quota_transfer.h"

#include <algorithm>

#include "base/quantity.h"
#include "base/text.h"
#include "kube/api_call.h"
#include "quota/amounts.h"
#include "quota/keys.h"
#include "wire/object_meta.h"
#include "wire/quota_transfer.h"

namespace huygens::cli {

StatusOr<cluster::QuotaTransfer> ReadTransfer(std::span<const std::string_view> arguments, std::string_view until,
                                              Time now) {
  if (arguments.size() < 3) return Invalid("transfer takes FROM TO KEY=AMOUNT..., such as search ads limits.cpu=20");
  cluster::QuotaTransfer transfer;
  transfer.from = arguments[0];
  transfer.to = arguments[1];
  for (const std::string& name : {transfer.from, transfer.to}) {
    if (!kube::IsObjectName(name)) return Invalid(Concat(name, " is no name of a group"));
  }
  if (transfer.from == transfer.to) return Invalid("FROM and TO are the same group");
  for (const std::string_view each : arguments.subspan(2)) {
    const size_t equals = each.find('=');
    const std::string key(each.substr(0, equals));
    const auto amount = Quantity::Parse(equals == std::string_view::npos ? "" : each.substr(equals + 1));
    if (!amount.ok() || amount->Sign() <= 0) {
      return Invalid(Concat("expected KEY=AMOUNT such as limits.cpu=20, not ", each));
    }
    if (!quota::IsKnownKey(quota::NormalKey(key))) {
      return Invalid(Concat(key, " is no key that a pod could be charged to"));
    }
    quota::Set(transfer.amounts, key, *amount);
  }
  if (until.empty()) return transfer;
  const auto moment = ParseRfc3339(until);
  const auto span = ParseDuration(until);
  if (!moment.ok() && !span.ok()) {
    return Invalid(Concat("--until takes a moment such as 2026-12-31T00:00:00Z or a time such as 7d, not ", until));
  }
  transfer.until = moment.ok() ? *moment : now + *span;
  if (*transfer.until <= now) return Invalid(Concat("--until ", until, " is over"));
  return transfer;
}

StatusOr<std::string> CreateTransfer(const ApiCall& call, const cluster::QuotaTransfer& transfer) {
  HUYGENS_ASSIGN_OR_RETURN(const net::HttpReply reply, call("POST", "/apis/quota.huygens.dev/v1alpha1/quotatransfers",
                                                            wire::EncodeQuotaTransfer(transfer), kJsonType));
  if (reply.code == 404) {
    return Unavailable(
        "the API server knows no QuotaTransfers: kubectl apply -f config/crd/quotatransfers.yaml installs them");
  }
  if (!kube::Succeeded(reply)) return Unavailable(kube::ExplainReply(reply));
  HUYGENS_ASSIGN_OR_RETURN(const wire::ObjectMeta made, wire::DecodeObjectMeta(reply.body));
  return Concat("quotatransfer/", made.name, " created; huygens controller carries it out: kubectl get quotatransfer ",
                made.name, "\n");
}

}  // namespace huygens::cli
