#include "rule_policies/selection.h"

#include <algorithm>

#include "base/text.h"
#include "rule_policies/cel.h"

namespace huygens::rule_policies {

namespace {

using rules::SchedulingRule;
using rules::Tree;

std::string RequirementExpression(const LabelRequirement& requirement, std::string_view labels) {
  const std::string key = CelText(requirement.key);
  const std::string there = Concat(key, " in ", labels);
  const std::string one = Concat(labels, "[", key, "] in ", CelTexts(requirement.values));
  switch (requirement.operation) {
    case LabelRequirement::Operation::kIn:
      return Concat("(", there, " && ", one, ")");
    case LabelRequirement::Operation::kNotIn:
      return Concat("!(", there, " && ", one, ")");
    case LabelRequirement::Operation::kExists:
      return Concat("(", there, ")");
    case LabelRequirement::Operation::kDoesNotExist:
      return Not(there);
  }
  return "false";
}

std::string SelectorExpression(const LabelSelector& selector, std::string_view labels,
                               const std::vector<LabelRequirement>& required = {}) {
  std::vector<std::string> conditions;
  conditions.reserve(selector.requirements.size());
  for (const LabelRequirement& each : selector.requirements) {
    if (std::ranges::find(required, each) == required.end()) conditions.push_back(RequirementExpression(each, labels));
  }
  return All(conditions);
}

std::string_view OperatorWord(LabelRequirement::Operation operation) {
  constexpr std::string_view kWords[] = {"In", "NotIn", "Exists", "DoesNotExist"};
  return kWords[static_cast<size_t>(operation)];
}

}  // namespace

std::vector<LabelRequirement> CommonRequirements(std::span<const SchedulingRule* const> rules) {
  if (rules.empty()) return {};
  std::vector<LabelRequirement> common;
  for (const LabelRequirement& each : rules.front()->selection.labels.requirements) {
    const bool all = std::ranges::all_of(rules, [&](const SchedulingRule* rule) {
      const auto& wanted = rule->selection.labels.requirements;
      return std::ranges::find(wanted, each) != wanted.end();
    });
    if (all && std::ranges::find(common, each) == common.end()) common.push_back(each);
  }
  return common;
}

std::string MatchExpression(const SchedulingRule& rule, const rules::KnownKind& kind,
                            const std::vector<LabelRequirement>& required) {
  std::vector<std::string> conditions;
  const auto add = [&](std::string condition) {
    if (condition != "true") conditions.push_back(std::move(condition));
  };
  if (kind.shape != rules::Shape::kNode) {
    if (!rule.selection.namespaces.empty()) {
      add(Concat("request.namespace in ", CelTexts(rule.selection.namespaces)));
    }
    if (!rule.exclusion.namespaces.empty()) {
      add(Not(Concat("request.namespace in ", CelTexts(rule.exclusion.namespaces))));
    }
    if (rule.selection.namespace_labels) add(SelectorExpression(*rule.selection.namespace_labels, "variables.space"));
  }
  add(SelectorExpression(rule.selection.labels, "variables.labels", required));
  if (rule.exclusion.labels) add(Not(SelectorExpression(*rule.exclusion.labels, "variables.labels")));
  if (kind.shape == rules::Shape::kPod) {
    add(rule.selection.owner_kinds.empty() ? "variables.owner != 'DaemonSet'"
                                           : Concat("variables.owner in ", CelTexts(rule.selection.owner_kinds)));
  }
  return All(conditions);
}

Tree SelectorTree(const std::vector<LabelRequirement>& requirements) {
  Tree selector = Tree::Object();
  if (requirements.empty()) return selector;
  Tree& list = selector.Set("matchExpressions", Tree::List());
  for (const LabelRequirement& each : requirements) {
    Tree expression = Tree::Object();
    expression.Set("key", Tree::Text(each.key));
    expression.Set("operator", Tree::Text(OperatorWord(each.operation)));
    if (!each.values.empty()) {
      Tree& values = expression.Set("values", Tree::List());
      for (const std::string& value : each.values) values.elements().push_back(Tree::Text(value));
    }
    list.elements().push_back(std::move(expression));
  }
  return selector;
}

}  // namespace huygens::rule_policies
