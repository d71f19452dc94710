#include "admin_api/amounts.h"

#include <algorithm>

#include "base/text.h"

namespace huygens::admin_api {

std::string QuantityText(ResourceId resource, int64_t amount) { return ToQuantity(resource, amount).Canonical(); }

Amounts AmountsOf(const ResourceVector& amounts, const ResourceNames& resources) {
  Amounts texts;
  for (const auto& [resource, amount] : amounts) {
    texts.emplace_back(resources.Name(resource), QuantityText(resource, amount));
  }
  return texts;
}

StatusOr<ResourceVector> ParseAmounts(const Amounts& texts, ResourceNames& resources) {
  ResourceVector amounts;
  for (const auto& [name, text] : texts) {
    const auto quantity = Quantity::Parse(text);
    if (!quantity.ok()) return Annotate(quantity.status(), Concat(name, " \"", text, "\""));
    // A name for which the table has no room is none that a pod could ask for.
    if (const auto resource = resources.Intern(name); resource.ok()) {
      amounts.Set(*resource, BaseUnits(*resource, *quantity));
    }
  }
  return amounts;
}

std::optional<Quantity> QuantityOf(const Amounts& amounts, std::string_view resource) {
  const auto found = std::ranges::find(amounts, resource, &Amounts::value_type::first);
  if (found == amounts.end()) return std::nullopt;
  auto quantity = Quantity::Parse(found->second);
  return quantity.ok() ? std::optional(*std::move(quantity)) : std::nullopt;
}

std::string AmountsText(const Amounts& amounts) {
  std::string text;
  for (const auto& [resource, amount] : amounts) text += Concat(text.empty() ? "" : " and ", amount, " ", resource);
  return text;
}

}  // namespace huygens::admin_api
