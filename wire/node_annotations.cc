#include "wire/node_annotations.h"

#include <algorithm>

#include "base/millionths.h"
#include "wire/json_reader.h"
#include "wire/resources.h"

namespace huygens::wire {

namespace {

constexpr int64_t kMostCeiling = 10'000'000;

using Ceilings = std::vector<std::pair<std::string, int64_t>>;

Status ReadCeiling(JsonReader& in, int64_t& ceiling) {
  std::string text;
  if (in.Next() == JsonType::kNumber) {
    text = in.Skip();
  } else {
    HUYGENS_RETURN_IF_ERROR(in.Read(text));
  }
  const auto share = ParseMillionths(text);
  if (!share || *share > kMostCeiling) return Invalid("not a share from 0 to 10");
  ceiling = *share;
  return absl::OkStatus();
}

}  // namespace

ResourceVector ParseRealAllocatable(std::string_view text, const ResourceNames& names) {
  auto amounts = DecodeObject<ResourceVector>(
      text, [&](JsonReader& in, ResourceVector& out) { return ReadKnownResources(in, names, out); });
  if (!amounts.ok() ||
      std::any_of(amounts->begin(), amounts->end(), [](const auto& entry) { return entry.second < 0; })) {
    return {};
  }
  return *std::move(amounts);
}

Ceilings ParseUsageCeilings(std::string_view text) {
  auto ceilings = DecodeObject<Ceilings>(text, [&](JsonReader& in, Ceilings& out) {
    return in.Members([&](const JsonKey& key) {
      auto& entry = out.emplace_back(std::string(key.text), 0);
      return ReadCeiling(in, entry.second);
    });
  });
  if (!ceilings.ok()) return {};
  SortByKey(*ceilings);
  return *std::move(ceilings);
}

}  // namespace huygens::wire
