#include "real_capacity/rules.h"

#include "base/quantity.h"

namespace huygens::real_capacity {

std::vector<std::string> FormulaNames(std::span<const std::string> queries) {
  std::vector<std::string> names(std::begin(kOwnNameTexts), std::end(kOwnNameTexts));
  names.insert(names.end(), queries.begin(), queries.end());
  return names;
}

std::string AmountText(int64_t thousandths, Unit unit) {
  if (unit == Unit::kCpu) return Quantity::FromMilli(thousandths).Text();
  std::string text = std::to_string(thousandths / 1000);
  if (const int64_t rest = thousandths % 1000; rest != 0) {
    text += Concat(".", std::string_view(std::to_string(1000 + rest)).substr(1));
    while (text.ends_with('0')) text.pop_back();
  }
  return text;
}

std::optional<int64_t> ParseAmount(std::string_view text) {
  const StatusOr<Quantity> quantity = Quantity::Parse(text);
  if (!quantity.ok()) return std::nullopt;
  return quantity->MilliValue();
}

}  // namespace huygens::real_capacity
