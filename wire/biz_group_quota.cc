#include "wire/biz_group_quota.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "json/append.h"
#include "json/reader.h"
#include "wire/object_meta.h"
#include "wire/resources.h"

namespace huygens::wire {
namespace {

using cluster::BizGroupQuota;
using cluster::InheritedGroup;
using cluster::QuotaAmounts;
using cluster::QuotaReservation;

// {"limits.cpu":"100"}. Null empties `out`; a second map is merged into the first, as Go does.
Status ReadAmounts(JsonReader& in, QuotaAmounts& out) {
  if (in.Next() == JsonType::kNull) out.clear();
  return in.Members([&](const JsonKey& key) -> Status {
    Quantity amount;
    HUYGENS_RETURN_IF_ERROR(ReadQuantity(in, amount));
    auto at = std::lower_bound(out.begin(), out.end(), key.text,
                               [](const auto& entry, std::string_view wanted) { return entry.first < wanted; });
    if (at == out.end() || at->first != key.text) at = out.emplace(at, key.text, Quantity());
    at->second = std::move(amount);
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
    return absl::OkStatus();
  });
}

Status ReadReservation(JsonReader& in, QuotaReservation& out) {
  std::optional<Time> until;
  HUYGENS_RETURN_IF_ERROR(in.Fields(
      "uid", out.uid, "kind", out.kind, "namespace", out.namespace_name, "name", out.name, "amounts",
      [&] { return ReadAmounts(in, out.amounts); }, "until", [&] { return ReadTime(in, until); }));
  out.until = until.value_or(Time());
  return absl::OkStatus();
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
    if (key.Is("reservations")) {
      return ReadList(in, out.reservations, [&](QuotaReservation& each) { return ReadReservation(in, each); });
    }
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
    return in.Fields("parentBizGroup", out.parent, "hard", [&] { return ReadAmounts(in, out.hard); });
  });
}

Status ReadStatusAlone(JsonReader& in, BizGroupQuota& out) {
  return in.Fields("status", [&] { return ReadStatus(in, out); });
}

void AppendAmounts(std::string& out, std::string_view field, const QuotaAmounts& amounts) {
  AppendJsonKey(out, field);
  out += '{';
  for (const auto& [key, amount] : amounts) AppendJsonField(out, key, amount.Canonical());
  out += '}';
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
    group->exact_hours = std::move(status->exact_hours);
    group->inherited = std::move(status->inherited);
    group->last_reconcile = status->last_reconcile;
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
  if (!group.exact_hours.empty()) {
    AppendJsonKey(out, "exactHours");
    out += '{';
    for (const auto& [key, units] : group.exact_hours) AppendJsonField(out, key, units);
    out += '}';
  }
  if (!group.inherited.empty()) AppendInherited(out, group.inherited);
  AppendJsonKey(out, "reservations");
  out += '[';
  for (const QuotaReservation& each : group.reservations) {
    if (out.back() != '[') out += ',';
    out += '{';
    AppendJsonField(out, "uid", each.uid);
    AppendJsonField(out, "kind", each.kind);
    if (!each.namespace_name.empty()) AppendJsonField(out, "namespace", each.namespace_name);
    AppendJsonField(out, "name", each.name);
    AppendAmounts(out, "amounts", each.amounts);
    AppendJsonField(out, "until", FormatRfc3339(each.until));
    out += '}';
  }
  out += "]}}";
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

}  // namespace huygens::wire
