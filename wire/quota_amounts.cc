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
    auto at = std::lower_bound(out.begin(), out.end(), key.text,
                               [](const auto& entry, std::string_view wanted) { return entry.first < wanted; });
    if (at == out.end() || at->first != key.text) at = out.emplace(at, key.text, Quantity());
    at->second = std::move(amount);
    return absl::OkStatus();
  });
}

void AppendAmounts(std::string& out, std::string_view field, const cluster::QuotaAmounts& amounts) {
  AppendJsonKey(out, field);
  out += '{';
  for (const auto& [key, amount] : amounts) AppendJsonField(out, key, amount.Canonical());
  out += '}';
}

}  // namespace huygens::wire
