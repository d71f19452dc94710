#include "cli/place_report.h"

#include <algorithm>

#include "json/append.h"
#include "reports/node_report.h"
#include "reports/table.h"

namespace huygens::cli {

namespace {

void AppendOutcome(std::string& out, const PodOutcome& outcome) {
  out += '{';
  AppendJsonField(out, "pod", outcome.pod);
  AppendJsonField(out, "uid", outcome.uid);
  if (!outcome.node.empty()) AppendJsonField(out, "node", outcome.node);
  if (outcome.placed_before) out += ",\"placedBefore\":true";
  if (outcome.score) out += Concat(",\"score\":", std::to_string(*outcome.score));
  out += ",\"zones\":[";
  for (const admin_api::ZoneShare& zone : outcome.zones) {
    out += out.back() == '[' ? "{" : ",{";
    AppendJsonField(out, "name", zone.name);
    out += ",\"amount\":{";
    for (const auto& [resource, amount] : zone.amount) AppendJsonField(out, resource, amount);
    out += "}}";
  }
  out += ']';
  if (!outcome.error.empty()) {
    AppendJsonField(out, "error", outcome.error);
  } else if (outcome.node.empty()) {
    AppendJsonField(out, "message", WhyNot(outcome));
  }
  if (!outcome.not_understood.empty()) {
    out += ",\"notUnderstood\":[";
    for (const std::string& ignored : outcome.not_understood) {
      if (out.back() != '[') out += ',';
      AppendJsonString(out, ignored);
    }
    out += ']';
  }
  out += ",\"refused\":[";
  for (const auto& [node, reason] : outcome.refusals) {
    out += out.back() == '[' ? "{" : ",{";
    AppendJsonField(out, "node", node);
    AppendJsonField(out, "reason", reason);
    if (const auto why = outcome.figures.find(node); why != outcome.figures.end()) {
      AppendJsonField(out, "why", why->second);
    }
    out += '}';
  }
  out += "]}";
}

}  // namespace

std::string PlaceTable(const std::vector<PodOutcome>& outcomes) {
  reports::Table table({"POD", "NODE", "ZONES", "SCORE", "REASON"});
  size_t placed = 0, failed = 0, before = 0;
  for (const PodOutcome& outcome : outcomes) {
    std::vector<std::string> row{outcome.pod, outcome.node, reports::ToText(outcome.zones)};
    row.push_back(outcome.score ? std::to_string(*outcome.score) : "");
    if (!outcome.error.empty()) {
      row.push_back(Concat("ERROR ", outcome.error));
    } else if (outcome.node.empty()) {
      row.push_back(WhyNot(outcome));
    } else if (outcome.placed_before) {
      row.emplace_back("was there before");
    }
    before += outcome.placed_before ? 1 : 0;
    placed += outcome.node.empty() ? 0 : 1;
    failed += outcome.error.empty() ? 0 : 1;
    table.AddRow(std::move(row));
  }
  const size_t refused = outcomes.size() - placed - failed;
  std::string text = table.Text();
  text += Concat("\n", std::to_string(placed), " of ", std::to_string(outcomes.size()), " pods placed",
                 before > 0 ? Concat(" (", std::to_string(before), " of them before)") : std::string(), ", ",
                 std::to_string(refused), " without a node");
  if (failed > 0) text += Concat(", ", std::to_string(failed), " failed");
  return text += ".\n";
}

std::string PlaceJson(const std::vector<PodOutcome>& outcomes) {
  std::string out = "{\"pods\":[";
  for (const PodOutcome& outcome : outcomes) {
    if (out.back() != '[') out += ',';
    AppendOutcome(out, outcome);
  }
  return out += "]}\n";
}

}  // namespace huygens::cli
