#include "reports/decision_text.h"

#include "base/quantity.h"
#include "base/text.h"
#include "reports/node_report.h"

namespace huygens::reports {

std::string ZonesText(const std::vector<admin_api::DecisionDocument::Zone>& zones) {
  std::vector<admin_api::ZoneShare> shares;
  for (const auto& zone : zones) {
    admin_api::ZoneShare& share = shares.emplace_back(admin_api::ZoneShare{.name = zone.name});
    for (const auto& [resource, amount] : zone.amounts) {
      if (resource == "cpuMilli") {
        share.amount.emplace_back("cpu", Quantity::FromMilli(amount).Canonical());
      } else {
        const auto format = resource == "memory" ? Quantity::Format::kBinarySI : Quantity::Format::kDecimalSI;
        share.amount.emplace_back(resource, Quantity::FromInt(amount, format).Canonical());
      }
    }
  }
  return ToText(shares);
}

std::string ReportsText(const admin_api::DecisionDocument::Reports& reports) {
  std::string text;
  for (const auto& [check, reason] : reports) text += Concat(text.empty() ? "" : "; ", check, ": ", reason);
  return text;
}

}  // namespace huygens::reports
