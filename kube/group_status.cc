#include "kube/group_status.h"

#include "base/text.h"
#include "kube/api_call.h"
#include "kube/list_path.h"
#include "kube/object_call.h"
#include "wire/biz_group_quota.h"

namespace huygens::kube {
namespace {

using cluster::BizGroupQuota;

StatusOr<BizGroupQuota> Decode(std::string_view json) { return wire::DecodeBizGroupQuota(json); }

StatusOr<std::string> PathOf(const std::string& name) {
  if (!IsObjectName(name)) return Invalid("the name of the group is no name of Kubernetes");
  return Concat(ListPath(cluster::Kind::kBizGroupQuota), "/", name);
}

// The first field of the status that was sent and is not there; empty: all are.
std::string_view Dropped(const BizGroupQuota& sent, const BizGroupQuota& stored) {
  const auto lost = [](const auto& before, const auto& after) { return !before.empty() && after.empty(); };
  if (lost(sent.reservations, stored.reservations)) return "reservations";
  if (lost(sent.counted_hard, stored.counted_hard)) return "hard";
  if (lost(sent.used, stored.used)) return "used";
  if (lost(sent.self_used, stored.self_used)) return "selfUsed";
  if (lost(sent.exact_hours, stored.exact_hours)) return "exactHours";
  if (lost(sent.inherited, stored.inherited)) return "inherited";
  if (lost(sent.carried_hours, stored.carried_hours)) return "carriedHours";
  if (sent.hours_since && !stored.hours_since) return "hoursSince";
  if (sent.last_reconcile && !stored.last_reconcile) return "lastReconcileTime";
  return {};
}

std::string ApplyDefinition(std::string_view why) {
  return Concat("the CustomResourceDefinition bizgroupresourcequotas.quota.huygens.dev is that of an earlier version: ",
                why, "; kubectl apply -f config/crd/bizgroupresourcequotas.yaml of this version of huygens");
}

StatusOr<BizGroupQuota> PutStatus(net::Client& client, const BizGroupQuota& group, std::string_view query,
                                  Duration timeout) {
  HUYGENS_ASSIGN_OR_RETURN(const std::string path, PathOf(group.name));
  auto stored =
      CallForObject(Decode, client, "PUT", Concat(path, "/status", query), wire::EncodeBizGroupStatus(group), timeout);
  if (stored.ok()) {
    const std::string_view dropped = Dropped(group, *stored);
    if (dropped.empty()) return stored;
    return absl::FailedPreconditionError(ApplyDefinition(Concat("it has no status.", dropped)));
  }
  // Versions before took a list there, and no text.
  const bool is_form = absl::IsFailedPrecondition(stored.status()) &&
                       Message(stored.status()).find("status.reservations") != std::string::npos;
  return is_form ? absl::FailedPreconditionError(ApplyDefinition(Message(stored.status()))) : stored;
}

}  // namespace

StatusOr<BizGroupQuota> WriteGroupStatus(net::Client& client, const BizGroupQuota& group, Duration timeout) {
  return PutStatus(client, group, "", timeout);
}

Status TryGroupStatus(net::Client& client, const BizGroupQuota& group, Duration timeout) {
  return PutStatus(client, group, "?dryRun=All", timeout).status();
}

StatusOr<BizGroupQuota> WriteGroupFinalizers(net::Client& client, const BizGroupQuota& group, Duration timeout) {
  HUYGENS_ASSIGN_OR_RETURN(const std::string path, PathOf(group.name));
  return CallForObject(Decode, client, "PATCH", path, wire::EncodeBizGroupFinalizers(group), timeout,
                       PatchHeaders("merge"));
}

StatusOr<BizGroupQuota> WriteGroupBudget(net::Client& client, const BizGroupQuota& group,
                                         const cluster::QuotaAmounts& hard, std::string_view transfer_uid, bool marked,
                                         Duration timeout) {
  HUYGENS_ASSIGN_OR_RETURN(const std::string path, PathOf(group.name));
  return CallForObject(Decode, client, "PATCH", path, wire::EncodeBudgetChange(group, hard, transfer_uid, marked),
                       timeout, PatchHeaders("merge"));
}

StatusOr<BizGroupQuota> ReadGroup(net::Client& client, const std::string& name, Duration timeout) {
  HUYGENS_ASSIGN_OR_RETURN(const std::string path, PathOf(name));
  return CallForObject(Decode, client, "GET", path, "", timeout);
}

}  // namespace huygens::kube
