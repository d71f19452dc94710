#include "wire/quota_amounts.h"

#include <algorithm>
#include <utility>

#include "json/append.h"
#include "wire/resources.h"

namespace huygens::wire {

Status ReadAmounts(JsonReader& in, cluster::QuotaAmounts& out) {
  if (in.Next() == JsonType::kNull) out.clear();
  return in.Members([&](const JsonKey& key) -> Status {
    Quantity amount;
    HUYGENS_RETURN_IF_ERROR(ReadQuantity(in, amount));
    SetAmount(key.text, std::move(amount), out);
    return absl::OkStatus();
  });
}

void SetAmount(std::string_view key, Quantity amount, cluster::QuotaAmounts& amounts) {
  auto at = std::lower_bound(amounts.begin(), amounts.end(), key,
                             [](const auto& entry, std::string_view wanted) { return entry.first < wanted; });
  if (at == amounts.end() || at->first != key) at = amounts.emplace(at, key, Quantity());
  at->second = std::move(amount);
}

void AppendAmounts(std::string& out, std::string_view field, const cluster::QuotaAmounts& amounts) {
  AppendJsonKey(out, field);
  out += '{';
  for (const auto& [key, amount] : amounts) AppendJsonField(out, key, amount.Canonical());
  out += '}';
}

}  // namespace huygens::wire
