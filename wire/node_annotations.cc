#include "wire/node_annotations.h"

#include "base/millionths.h"
#include "base/resource_alias.h"
#include "json/reader.h"
#include "wire/resources.h"

namespace huygens::wire {

namespace {

constexpr int64_t kMostCeiling = 10'000'000;

Status ReadCeiling(JsonReader& in, int64_t& ceiling) {
  std::string text;
  if (in.Next() == JsonType::kNumber) {
    text = in.Skip();
  } else {
    HUYGENS_RETURN_IF_ERROR(in.Read(text));
  }
  const auto share = ParseMillionths(text);
  if (!share || *share > kMostCeiling) return Invalid("expected a share from 0 to 10 such as 0.8 or \"80%\"");
  ceiling = *share;
  return absl::OkStatus();
}

}  // namespace

StatusOr<ResourceVector> ParseRealAllocatable(std::string_view text, const ResourceNames& names, std::string* unknown) {
  return DecodeObject<ResourceVector>(text, [&](JsonReader& in, ResourceVector& out) {
    return in.Members([&](const JsonKey& key) -> Status {
      Quantity quantity;
      HUYGENS_RETURN_IF_ERROR(ReadQuantity(in, quantity));
      if (quantity.Sign() < 0) return Invalid("expected a quantity from 0");
      if (auto id = names.Find(ResourceOf(key.text))) {
        out.Set(*id, BaseUnits(*id, quantity));
      } else if (unknown != nullptr && unknown->empty()) {
        *unknown = key.text;
      }
      return absl::OkStatus();
    });
  });
}

StatusOr<UsageCeilings> ParseUsageCeilings(std::string_view text) {
  auto ceilings = DecodeObject<UsageCeilings>(text, [&](JsonReader& in, UsageCeilings& out) {
    return in.Members([&](const JsonKey& key) {
      auto& entry = out.emplace_back(std::string(key.text), 0);
      return ReadCeiling(in, entry.second);
    });
  });
  if (ceilings.ok()) SortByKey(*ceilings);
  return ceilings;
}

}  // namespace huygens::wire
