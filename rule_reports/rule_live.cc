#include "rule_reports/rule_live.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/text.h"
#include "rule_reports/rule_report.h"
#include "rules/standing.h"

namespace huygens::rule_reports {

namespace {

using rules::RuleSet;
using rules::SchedulingRule;
using rules::Standing;
using rules::Tree;

bool SaysTheSame(const SchedulingRule& stored, const SchedulingRule& written) {
  SchedulingRule a = stored, b = written;
  for (SchedulingRule* each : {&a, &b}) {
    each->uid.clear();
    each->resource_version.clear();
    each->generation = 0;
    each->status = {};
  }
  return a == b;
}

// The rules of the cluster when those of the files are applied, with the generations that they get.
std::vector<SchedulingRule> Applied(std::vector<SchedulingRule> stored, const RuleSet& files) {
  for (const SchedulingRule& written : files.rules()) {
    const auto at = std::ranges::find(stored, written.name, &SchedulingRule::name);
    if (at == stored.end()) {
      stored.push_back(written);
      stored.back().generation = 1;
    } else if (!SaysTheSame(*at, written)) {
      const int64_t generation = at->generation + 1;
      *at = written;
      at->generation = generation;
    }
  }
  return stored;
}

struct Totals {
  size_t objects = 0, changed = 0, lacking = 0, misplaced = 0;
};

class Comparison {
 public:
  Comparison(const RuleSet& before, const RuleSet& after, const std::map<std::string, Labels>& namespaces, Time now)
      : before_(before), after_(after), namespaces_(namespaces), now_(now) {}

  Status Take(std::string_view kind, const Tree& object) {
    ++totals_.objects;
    const Tree* metadata = object.Find("metadata");
    if (metadata == nullptr) return Invalid("an object without metadata");
    const std::string space(metadata->TextOf("namespace")), name(metadata->TextOf("name"));
    if (kind == "Node") TakeLabels(name, *metadata);
    const auto labels = namespaces_.find(space);
    if (labels != namespaces_.end() && rules::LeavesRulesOut(labels->second)) return absl::OkStatus();
    const rules::Surroundings surroundings{
        .now = now_, .namespace_labels = labels == namespaces_.end() ? nullptr : &labels->second, .own_namespaces = {}};
    const std::string json = object.Json();
    HUYGENS_ASSIGN_OR_RETURN(const Standing was, JudgeStanding({.kind = kind, .json = json}, before_, surroundings));
    HUYGENS_ASSIGN_OR_RETURN(const Standing is, JudgeStanding({.kind = kind, .json = json}, after_, surroundings));
    const std::string text = Text(is, On(object));
    // What the rules of the cluster are about to do anyway is none of the files' doing.
    if (text.empty() || text == Text(was, On(object))) return absl::OkStatus();
    if (!is.patch.empty() || !is.status_patch.empty()) ++totals_.changed;
    if (!is.lacks.empty()) ++totals_.lacking;
    const Labels* node = On(object);
    if (node != nullptr && !rules::Misplacement(is.lacks, *node).empty()) ++totals_.misplaced;
    out_ += Concat(kind, " ", space, space.empty() ? "" : "/", name, "\n", text);
    return absl::OkStatus();
  }

  std::string Report() && {
    const auto count = [](size_t number) { return std::to_string(number); };
    return Concat(out_, count(totals_.changed), " of ", count(totals_.objects), " objects would change in place, ",
                  count(totals_.lacking), " pods would have to be made anew, ", count(totals_.misplaced),
                  " of them are on a node where they may not be\n");
  }

 private:
  void TakeLabels(const std::string& name, const Tree& metadata) {
    Labels labels;
    if (const Tree* written = metadata.Find("labels"); written != nullptr) {
      labels.reserve(written->members().size());
      for (const auto& [key, value] : written->members()) labels.emplace_back(key, std::string(value.text()));
    }
    nodes_[name] = std::move(labels);
  }
  const Labels* On(const Tree& object) const {
    constexpr std::string_view kPath[] = {"spec", "nodeName"};
    const Tree* name = rules::FindAt(object, kPath);
    const auto node = name != nullptr ? nodes_.find(std::string(name->text())) : nodes_.end();
    return node == nodes_.end() ? nullptr : &node->second;
  }
  static std::string Text(const Standing& standing, const Labels* node) {
    return Concat(PatchText(standing.patch), PatchText(standing.status_patch), LackText(standing.lacks, node));
  }

  const RuleSet& before_;
  const RuleSet& after_;
  const std::map<std::string, Labels>& namespaces_;
  const Time now_;
  std::map<std::string, Labels> nodes_;
  std::string out_;
  Totals totals_;
};

}  // namespace

StatusOr<std::string> LiveDifference(const ApiCall& api, const RuleFiles& files, Time now) {
  HUYGENS_ASSIGN_OR_RETURN(const std::vector<SchedulingRule> stored, StoredRules(api));
  HUYGENS_ASSIGN_OR_RETURN(const auto namespaces, StoredNamespaces(api));
  const RuleSet before(stored), after(Applied(stored, files.rules));
  Comparison comparison(before, after, namespaces, now);
  // Nodes first: pods are judged by the labels of theirs.
  for (const auto& [kind, path] : {std::pair<std::string_view, std::string>("Node", "/api/v1/nodes"),
                                   std::pair<std::string_view, std::string>("Pod", "/api/v1/pods")}) {
    HUYGENS_RETURN_IF_ERROR(
        ForEachStored(api, path, [&, kind = kind](const Tree& object) { return comparison.Take(kind, object); }));
  }
  return std::move(comparison).Report();
}

StatusOr<std::string> LiveExplanation(const ApiCall& api, const ObjectName& object, Time now) {
  HUYGENS_ASSIGN_OR_RETURN(const std::vector<SchedulingRule> stored, StoredRules(api));
  HUYGENS_ASSIGN_OR_RETURN(const auto namespaces, StoredNamespaces(api));
  HUYGENS_ASSIGN_OR_RETURN(const std::string json, GetObject(api, object.path));
  HUYGENS_ASSIGN_OR_RETURN(const Tree live, Tree::Parse(json));
  const RuleSet rules(stored);
  const auto labels = namespaces.find(object.space);
  if (labels != namespaces.end() && rules::LeavesRulesOut(labels->second)) {
    return Concat(object.Title(), ": the namespace has the label ", rules::kRulesLabel, ": ", rules::kIgnoreValue,
                  "\n");
  }
  const rules::Surroundings surroundings{
      .now = now, .namespace_labels = labels == namespaces.end() ? nullptr : &labels->second, .own_namespaces = {}};
  // As if it were made now: then each rule says what it gives.
  const std::string anew = object.kind == "Pod" ? rules::AsNew(live).Json() : json;
  HUYGENS_ASSIGN_OR_RETURN(const rules::Outcome outcome, rules::Inject({.operation = rules::Operation::kCreate,
                                                                        .group = object.group,
                                                                        .kind = object.kind,
                                                                        .subresource = {},
                                                                        .namespace_name = object.space,
                                                                        .object = anew,
                                                                        .old_object = {}},
                                                                       rules, surroundings));
  std::string text = RuleExplanation(object.Title(), outcome);
  if (object.kind != "Pod" && object.kind != "Node") return text;
  HUYGENS_ASSIGN_OR_RETURN(const Standing standing,
                           rules::JudgeStanding({.kind = object.kind, .json = json}, rules, surroundings));
  const std::string to_do =
      Concat(PatchText(standing.patch), PatchText(standing.status_patch), LackText(standing.lacks, nullptr));
  if (!standing.untouched.empty()) return text;
  return Concat(text, to_do.empty() ? "It is as the rules say.\n" : Concat("It lacks:\n", to_do));
}

}  // namespace huygens::rule_reports
