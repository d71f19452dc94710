#include "wire/biz_group_quota.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "cluster/quota_transfer.h"
#include "json/append.h"
#include "json/reader.h"
#include "wire/biz_group_schema.h"
#include "wire/object_meta.h"
#include "wire/quota_amounts.h"
#include "wire/quota_reservations.h"

namespace huygens::wire {
namespace {

using cluster::BizGroupQuota;
using cluster::CashPolicy;
using cluster::InheritedGroup;
using cluster::QuotaAmounts;

Status ReadCashPolicy(JsonReader& in, std::optional<CashPolicy>& out) {
  if (in.Next() == JsonType::kNull) return absl::OkStatus();
  CashPolicy policy;
  std::string period;
  HUYGENS_RETURN_IF_ERROR(in.Fields(
      "period", period, "carryOver", policy.carry_over, "anchor", [&] { return ReadTime(in, policy.anchor); },
      "timeZone", policy.time_zone));
  const auto known = PeriodOf(period);
  if (!known) return Invalid(Concat("spec.cashPolicy.period: expected Day, Week or Month, found ", period));
  if (policy.carry_over < 0 || policy.carry_over > kMostCarriedPeriods) {
    return Invalid("spec.cashPolicy.carryOver: expected 0 to 100");
  }
  policy.period = *known;
  if (policy.time_zone.empty()) policy.time_zone = CashPolicy().time_zone;
  out = std::move(policy);
  return absl::OkStatus();
}

// The annotations by which a group says whose amounts its budget has.
Status ReadTransfers(JsonReader& in, std::set<std::string, std::less<>>& out) {
  return in.Members([&](const JsonKey& key) {
    if (key.text.starts_with(cluster::kTransferAnnotationPrefix)) {
      out.emplace(key.text.substr(cluster::kTransferAnnotationPrefix.size()));
    }
    return absl::OkStatus();
  });
}

Status ReadMetadata(JsonReader& in, BizGroupQuota& out) {
  return in.Members([&](const JsonKey& key) {
    if (key.Is("name")) return in.Read(out.name);
    if (key.Is("uid")) return in.Read(out.uid);
    if (key.Is("resourceVersion")) return in.Read(out.resource_version);
    if (key.Is("creationTimestamp")) return ReadTime(in, out.created);
    if (key.Is("deletionTimestamp")) out.deleting = in.Next() != JsonType::kNull;
    if (key.Is("finalizers")) return ReadList(in, out.finalizers, [&](std::string& each) { return in.Read(each); });
    if (key.Is("annotations")) return ReadTransfers(in, out.transfers);
    return absl::OkStatus();
  });
}

Status ReadInherited(JsonReader& in, InheritedGroup& out) {
  std::optional<Time> at;
  HUYGENS_RETURN_IF_ERROR(in.Fields("uid", out.uid, "name", out.name, "at", [&] { return ReadTime(in, at); }));
  out.at = at.value_or(Time());
  return absl::OkStatus();
}

Status ReadStatus(JsonReader& in, BizGroupQuota& out) {
  return in.Members([&](const JsonKey& key) {
    if (key.Is("hard")) return ReadAmounts(in, out.counted_hard);
    if (key.Is("used")) return ReadAmounts(in, out.used);
    if (key.Is("selfUsed")) return ReadAmounts(in, out.self_used);
    if (key.Is("carriedHours")) return ReadAmounts(in, out.carried_hours);
    if (key.Is("hoursSince")) return ReadTime(in, out.hours_since);
    if (key.Is("reservations")) return ReadReservations(in, out);
    if (key.Is("inherited")) {
      return ReadList(in, out.inherited, [&](InheritedGroup& each) { return ReadInherited(in, each); });
    }
    if (key.Is("exactHours")) {
      return in.Members([&](const JsonKey& hours) { return in.Read(out.exact_hours[std::string(hours.text)]); });
    }
    return key.Is("lastReconcileTime") ? ReadTime(in, out.last_reconcile) : absl::OkStatus();
  });
}

Status ReadWithoutStatus(JsonReader& in, BizGroupQuota& out) {
  return in.Members([&](const JsonKey& part) {
    if (part.Is("metadata")) return ReadMetadata(in, out);
    if (!part.Is("spec")) return absl::OkStatus();
    return in.Fields(
        "parentBizGroup", out.parent, "hard", [&] { return ReadAmounts(in, out.hard); }, "cashPolicy",
        [&] { return ReadCashPolicy(in, out.cash_policy); });
  });
}

Status ReadStatusAlone(JsonReader& in, BizGroupQuota& out) {
  return in.Fields("status", [&] { return ReadStatus(in, out); });
}

void AppendInherited(std::string& out, const std::vector<InheritedGroup>& groups) {
  AppendJsonKey(out, "inherited");
  out += '[';
  for (const InheritedGroup& each : groups) {
    if (out.back() != '[') out += ',';
    out += '{';
    AppendJsonField(out, "uid", each.uid);
    AppendJsonField(out, "name", each.name);
    AppendJsonField(out, "at", FormatRfc3339(each.at));
    out += '}';
  }
  out += ']';
}

BizGroupQuota Defective(std::string name, std::string_view why) {
  BizGroupQuota group;
  group.name = std::move(name);
  group.defect = why;
  return group;
}

}  // namespace

StatusOr<BizGroupQuota> DecodeBizGroupQuota(std::string_view json, Status* status_fault) {
  auto group = DecodeObject<BizGroupQuota>(json, ReadWithoutStatus);
  if (!group.ok()) {  // if it says which group it is, its pods must not pass as those of an unlimited one
    auto meta = DecodeObjectMeta(json);
    if (!meta.ok() || meta->name.empty()) return group.status();
    return Defective(std::move(meta->name), Message(group.status()));
  }
  if (group->name.empty()) return Invalid("metadata.name is missing");
  for (const auto& [key, amount] : group->hard) {
    if (amount.Sign() < 0) return Defective(std::move(group->name), Concat("spec.hard.", key, " is negative"));
  }
  if (auto status = DecodeObject<BizGroupQuota>(json, ReadStatusAlone); status.ok()) {
    group->counted_hard = std::move(status->counted_hard);
    group->used = std::move(status->used);
    group->self_used = std::move(status->self_used);
    group->reservations = std::move(status->reservations);
    group->reservations_as_text = status->reservations_as_text;
    group->exact_hours = std::move(status->exact_hours);
    group->inherited = std::move(status->inherited);
    group->last_reconcile = status->last_reconcile;
    group->hours_since = status->hours_since;
    group->carried_hours = std::move(status->carried_hours);
  } else if (status_fault) {
    *status_fault = status.status();
  }
  return group;
}

std::string EncodeBizGroupStatus(const BizGroupQuota& group) {
  std::string out = R"({"apiVersion":"quota.huygens.dev/v1alpha1","kind":"BizGroupResourceQuota","metadata":{)";
  AppendJsonField(out, "name", group.name);
  AppendJsonField(out, "uid", group.uid);
  AppendJsonField(out, "resourceVersion", group.resource_version);
  out += R"(},"status":{)";
  AppendAmounts(out, "hard", group.counted_hard);
  AppendAmounts(out, "used", group.used);
  AppendAmounts(out, "selfUsed", group.self_used);
  if (group.last_reconcile) AppendJsonField(out, "lastReconcileTime", FormatRfc3339(*group.last_reconcile));
  if (group.hours_since) AppendJsonField(out, "hoursSince", FormatRfc3339(*group.hours_since));
  if (!group.carried_hours.empty()) AppendAmounts(out, "carriedHours", group.carried_hours);
  if (!group.exact_hours.empty()) {
    AppendJsonKey(out, "exactHours");
    out += '{';
    for (const auto& [key, units] : group.exact_hours) AppendJsonField(out, key, units);
    out += '}';
  }
  if (!group.inherited.empty()) AppendInherited(out, group.inherited);
  AppendReservations(out, group);
  out += "}}";
  return out;
}

std::string EncodeBizGroupFinalizers(const BizGroupQuota& group) {
  std::string out = R"({"metadata":{)";
  AppendJsonField(out, "uid", group.uid);
  AppendJsonField(out, "resourceVersion", group.resource_version);
  AppendJsonKey(out, "finalizers");
  out += '[';
  for (const std::string& each : group.finalizers) {
    if (out.back() != '[') out += ',';
    AppendJsonString(out, each);
  }
  out += "]}}";
  return out;
}

std::string EncodeBudgetChange(const BizGroupQuota& group, const cluster::QuotaAmounts& hard,
                               std::string_view transfer_uid, bool marked) {
  std::string out = R"({"metadata":{)";
  AppendJsonField(out, "uid", group.uid);
  AppendJsonField(out, "resourceVersion", group.resource_version);
  AppendJsonKey(out, "annotations");
  out += '{';
  AppendJsonKey(out, Concat(cluster::kTransferAnnotationPrefix, transfer_uid));
  out += marked ? R"("moved")" : "null";
  out += "}}";
  if (!hard.empty()) {
    out += R"(,"spec":{)";
    AppendAmounts(out, "hard", hard);
    out += '}';
  }
  out += '}';
  return out;
}

}  // namespace huygens::wire
