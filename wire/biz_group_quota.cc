#include "wire/biz_group_quota.h"

#include <algorithm>
#include <string>
#include <utility>

#include "json/reader.h"
#include "wire/object_meta.h"
#include "wire/resources.h"

namespace huygens::wire {
namespace {

using cluster::BizGroupQuota;
using cluster::QuotaAmounts;

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
    if (key.Is("deletionTimestamp")) out.deleting = in.Next() != JsonType::kNull;
    return absl::OkStatus();
  });
}

Status ReadStatus(JsonReader& in, BizGroupQuota& out) {
  return in.Members([&](const JsonKey& key) {
    if (key.Is("used")) return ReadAmounts(in, out.used);
    if (key.Is("selfUsed")) return ReadAmounts(in, out.self_used);
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
    group->used = std::move(status->used);
    group->self_used = std::move(status->self_used);
    group->last_reconcile = status->last_reconcile;
  } else if (status_fault) {
    *status_fault = status.status();
  }
  return group;
}

}  // namespace huygens::wire
