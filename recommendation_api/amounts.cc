#include "recommendation_api/amounts.h"

#include "base/quantity.h"

namespace huygens::recommendation_api {

std::string AmountText(recommend::Resource resource, int64_t amount) {
  return resource == recommend::Resource::kCpu ? Quantity::FromMilli(amount).Canonical()
                                               : Quantity::FromInt(amount, Quantity::Format::kBinarySI).Canonical();
}

std::string AmountText(recommend::Resource resource, const std::optional<int64_t>& amount) {
  return amount ? AmountText(resource, *amount) : std::string();
}

std::optional<int64_t> ParseAmount(recommend::Resource resource, std::string_view text) {
  if (text.empty()) return std::nullopt;
  const StatusOr<Quantity> quantity = Quantity::Parse(text);
  if (!quantity.ok() || quantity->Sign() < 0) return std::nullopt;
  return resource == recommend::Resource::kCpu ? quantity->MilliValue() : quantity->Value();
}

}  // namespace huygens::recommendation_api
