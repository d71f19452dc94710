#include "settings/real_capacity_options.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/duration_text.h"
#include "base/text.h"

namespace huygens::settings {
namespace {

using real_capacity::Formula;

constexpr std::string_view kSection = "controller.realCapacity";
// Attributes of zones that belong to whoever publishes them.
constexpr std::string_view kOfOthers[] = {"memoryGroup", "huygens.dev/cores"};

std::vector<std::string> QueryNames(const RealCapacityFacts& facts) {
  std::vector<std::string> names;
  names.reserve(facts.queries.size());
  for (const FactQuery& each : facts.queries) names.push_back(each.name);
  return names;
}

// Reports on one item of a list.
class ItemReport {
 public:
  ItemReport(const std::function<void(std::string_view, std::string)>& report, std::string_view list, size_t position)
      : report_(report), item_(Concat(kSection, ".", list, "[", std::to_string(position), "]")) {}
  void operator()(std::string_view field, std::string message) const {
    report_(Concat(item_, ".", field), std::move(message));
  }

 private:
  const std::function<void(std::string_view, std::string)>& report_;
  const std::string item_;
};

bool IsOwnName(std::string_view name) {
  return std::ranges::any_of(real_capacity::kOwnNameTexts, [&](const char* own) { return name == own; });
}

void CheckQuery(const RealCapacityFacts& facts, size_t position, const ItemReport& report) {
  const FactQuery& query = facts.queries[position];
  if (!Formula::IsName(query.name)) {
    report("name", "must be letters, digits and _, no digit first, and not min or max: formulas are to name it");
  } else if (IsOwnName(query.name)) {
    report("name", Concat(query.name, " is what formulas call the zone's own CPUs"));
  }
  const auto same = [&](const FactQuery& other) { return other.name == query.name; };
  if (std::find_if(facts.queries.begin(), facts.queries.begin() + static_cast<ptrdiff_t>(position), same) !=
      facts.queries.begin() + static_cast<ptrdiff_t>(position)) {
    report("name", Concat(query.name, " is listed twice"));
  }
  if (query.query.empty() == query.url.empty()) {
    report("query", Concat("must have exactly one of query and url, not ", query.query.empty() ? "none" : "both"));
  } else if (query.url.empty() && !facts.prometheus) {
    report("query", Concat("is asked of Prometheus: needs ", kSection, ".prometheus"));
  }
  if (query.url.empty() && !(query.bearer_token_file.empty() && query.ca_file.empty())) {
    report(query.ca_file.empty() ? "bearerTokenFile" : "caFile", "is for url");
  }
  if (query.node_label == query.zone_label) report("zoneLabel", "must differ from nodeLabel");
}

void CheckAttribute(const RealCapacityFacts& facts, size_t position, const ItemReport& report) {
  const FactAttribute& attribute = facts.attributes[position];
  for (size_t i = 0; i < position; ++i) {
    if (facts.attributes[i].name == attribute.name) report("name", Concat(attribute.name, " is listed twice"));
  }
  if (attribute.name.find_first_of(" \t\n\"") != std::string::npos || attribute.name.size() > 63) {
    report("name", "must be at most 63 characters without spaces");
  }
  if (attribute.name.ends_with(real_capacity::kUpdatedSuffix)) {
    report("name", Concat("must not end with ", real_capacity::kUpdatedSuffix, ": that is the time of an attribute"));
  }
  if (std::ranges::find(kOfOthers, attribute.name) != std::end(kOfOthers)) {
    report("name", Concat(attribute.name, " belongs to who publishes the machine"));
  }
  if (attribute.name == "offline_capacity" && attribute.unit != real_capacity::Unit::kCpu) {
    report("unit", "offline_capacity is in cpu");
  }
  if (attribute.max_rise == 0) report("maxRise", "must be above 0, or absent");
  if (attribute.max_fall == 0) report("maxFall", "must be above 0, or absent");
  const StatusOr<Formula> formula = Formula::Parse(attribute.formula, real_capacity::FormulaNames(QueryNames(facts)));
  if (!formula.ok()) return report("formula", std::string(Message(formula.status())));
  const auto is_query = [](size_t name) { return name >= real_capacity::kOwnNames; };
  if (std::ranges::none_of(formula->names(), is_query)) report("formula", "names no query, so it is no fact");
}

}  // namespace

void CheckRealCapacity(const RealCapacityFacts& facts,
                       const std::function<void(std::string_view path, std::string message)>& report) {
  for (size_t i = 0; i < facts.queries.size(); ++i) CheckQuery(facts, i, ItemReport(report, "queries", i));
  for (size_t i = 0; i < facts.attributes.size(); ++i) CheckAttribute(facts, i, ItemReport(report, "attributes", i));
  if (facts.refresh > Duration::zero() && facts.refresh < facts.period) {
    report(Concat(kSection, ".refresh"), Concat("must be at least period (", DurationText(facts.period), "), or 0s"));
  }
}

real_capacity::Rules RealCapacityRules(const RealCapacityFacts& facts) {
  real_capacity::Rules rules{.attributes = {}, .period = facts.period, .refresh = facts.refresh};
  const std::vector<std::string> names = real_capacity::FormulaNames(QueryNames(facts));
  for (const FactAttribute& each : facts.attributes) {
    StatusOr<Formula> formula = Formula::Parse(each.formula, names);
    if (!formula.ok()) continue;  // it was not checked
    rules.attributes.push_back({.name = each.name,
                                .formula = *std::move(formula),
                                .unit = each.unit,
                                .step = each.step,
                                .rise = each.max_rise,
                                .fall = each.max_fall,
                                .most = each.at_most,
                                .vanished_after = static_cast<uint64_t>(each.vanished_after)});
  }
  return rules;
}

}  // namespace huygens::settings
