#include "reports/decision_text.h"

#include <algorithm>

#include "admin_api/amounts.h"
#include "base/text.h"
#include "reports/node_report.h"

namespace huygens::reports {

std::string ZonesText(const std::vector<admin_api::DecisionDocument::Zone>& zones) {
  std::vector<admin_api::ZoneShare> shares;
  ResourceNames resources;
  for (const auto& zone : zones) {
    admin_api::ZoneShare& share = shares.emplace_back(admin_api::ZoneShare{.name = zone.name});
    for (const auto& [resource, amount] : zone.amounts) {
      const std::string_view name = resource == "cpuMilli" ? "cpu" : std::string_view(resource);
      const auto id = resources.Intern(name);
      share.amount.emplace_back(name, id.ok() ? admin_api::QuantityText(*id, amount) : std::to_string(amount));
    }
  }
  return ToText(shares);
}

std::string ReportsText(const admin_api::DecisionDocument::Reports& reports) {
  std::string text;
  for (const auto& [check, reason] : reports) text += Concat(text.empty() ? "" : "; ", check, ": ", reason);
  return text;
}

size_t Feasible(const admin_api::DecisionDocument& filter) {
  return static_cast<size_t>(std::ranges::count_if(filter.nodes, [](const auto& node) { return node.reason.empty(); }));
}

std::string NodesText(size_t count) { return Concat(std::to_string(count), count == 1 ? " node" : " nodes"); }

std::string SummaryText(const admin_api::DecisionDocument& decision) {
  if (!decision.error.empty()) return decision.error;
  if (decision.verb == "bind") return Concat("to ", decision.node);
  const std::string nodes = NodesText(decision.nodes.size());
  return decision.verb == "filter" ? Concat(std::to_string(Feasible(decision)), " of ", nodes, " could take it")
                                   : nodes;
}

}  // namespace huygens::reports
