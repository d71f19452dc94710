#include <utility>

#include "base/millionths.h"
#include "json/append.h"
#include "json/document.h"
#include "rules/rule.h"

namespace huygens::rules {

namespace {

std::string_view OperatorWord(LabelRequirement::Operation operation) {
  switch (operation) {
    case LabelRequirement::Operation::kIn:
      return "In";
    case LabelRequirement::Operation::kNotIn:
      return "NotIn";
    case LabelRequirement::Operation::kExists:
      return "Exists";
    case LabelRequirement::Operation::kDoesNotExist:
      return "DoesNotExist";
  }
  return "";
}

Tree TextList(const std::vector<std::string>& texts) {
  Tree list = Tree::List();
  for (const std::string& text : texts) list.elements().push_back(Tree::Text(text));
  return list;
}

void SetSelector(Tree& out, const LabelSelector& selector) {
  if (selector.requirements.empty()) return;
  Tree list = Tree::List();
  for (const LabelRequirement& each : selector.requirements) {
    Tree expression = Tree::Object();
    expression.Set("key", Tree::Text(each.key));
    expression.Set("operator", Tree::Text(OperatorWord(each.operation)));
    if (!each.values.empty()) expression.Set("values", TextList(each.values));
    list.elements().push_back(std::move(expression));
  }
  out.Set("matchExpressions", std::move(list));
}

void SetTexts(Tree& out, std::string_view key, const std::vector<std::string>& texts) {
  if (!texts.empty()) out.Set(key, TextList(texts));
}

void SetIfAny(Tree& out, std::string_view key, Tree object) {
  if (!object.members().empty() || !object.elements().empty()) out.Set(key, std::move(object));
}

Tree TextMapTree(const std::vector<std::pair<std::string, std::string>>& members) {
  Tree object = Tree::Object();
  for (const auto& [key, value] : members) object.Set(key, Tree::Text(value));
  return object;
}

Tree AmountsTree(const std::vector<AmountChange>& changes) {
  Tree object = Tree::Object();
  for (const AmountChange& change : changes) {
    Tree& amount = object.Set(change.resource, Tree::Object());
    if (change.factor_millionths) amount.Set("factor", Tree::Plain(MillionthsText(*change.factor_millionths)));
    if (change.set) amount.Set("set", Tree::Text(change.set->Text()));
    if (change.min) amount.Set("min", Tree::Text(change.min->Text()));
    if (change.max) amount.Set("max", Tree::Text(change.max->Text()));
  }
  return object;
}

Tree ListTree(const std::vector<Tree>& elements) {
  Tree list = Tree::List();
  list.elements() = elements;
  return list;
}

Tree AffinityTree(const std::vector<Tree>& required, const std::vector<Tree>& preferred) {
  Tree object = Tree::Object();
  SetIfAny(object, "required", ListTree(required));
  SetIfAny(object, "preferred", ListTree(preferred));
  return object;
}

Tree InjectionTree(const Injection& injection) {
  Tree out = Tree::Object();
  SetIfAny(out, "labels", TextMapTree(injection.labels));
  SetIfAny(out, "annotations", TextMapTree(injection.annotations));
  Tree resources = Tree::Object();
  SetIfAny(resources, "requests", AmountsTree(injection.requests));
  SetIfAny(resources, "limits", AmountsTree(injection.limits));
  SetIfAny(out, "resources", std::move(resources));
  SetIfAny(out, "allocatable", AmountsTree(injection.allocatable));
  SetIfAny(out, "tolerations", ListTree(injection.tolerations));
  SetIfAny(out, "taints", ListTree(injection.taints));
  SetIfAny(out, "nodeAffinity", AffinityTree(injection.required_nodes, injection.preferred_nodes));
  SetIfAny(out, "podAffinity", AffinityTree(injection.required_near, injection.preferred_near));
  SetIfAny(out, "podAntiAffinity", AffinityTree(injection.required_apart, injection.preferred_apart));
  SetIfAny(out, "topologySpreadConstraints", ListTree(injection.topology_spread));
  if (!injection.scheduler_name.empty()) out.Set("schedulerName", Tree::Text(injection.scheduler_name));
  if (!injection.priority_class_name.empty()) out.Set("priorityClassName", Tree::Text(injection.priority_class_name));
  return out;
}

Tree SelectionTree(const Selection& selection) {
  Tree out = Tree::Object();
  SetTexts(out, "kinds", selection.kinds);
  SetTexts(out, "namespaces", selection.namespaces);
  if (selection.namespace_labels)
    SetSelector(out.Set("namespaceSelector", Tree::Object()), *selection.namespace_labels);
  SetSelector(out, selection.labels);
  SetTexts(out, "ownerKinds", selection.owner_kinds);
  return out;
}

// 1234 of ten thousand is 12.34 of a hundred.
std::string PercentText(int64_t per_ten_thousand) { return MillionthsText(per_ten_thousand * 10'000); }

Tree SpecTree(const SchedulingRule& rule) {
  Tree out = Tree::Object();
  if (rule.priority != 0) out.Set("priority", Tree::Plain(std::to_string(rule.priority)));
  out.Set("selector", SelectionTree(rule.selection));
  Tree exclusion = Tree::Object();
  SetTexts(exclusion, "namespaces", rule.exclusion.namespaces);
  if (rule.exclusion.labels) SetSelector(exclusion, *rule.exclusion.labels);
  SetIfAny(out, "exclude", std::move(exclusion));
  if (rule.rollout != Rollout()) {
    Tree& rollout = out.Set("rollout", Tree::Object());
    rollout.Set("percent", Tree::Plain(PercentText(rule.rollout.per_ten_thousand)));
    rollout.Set("by", Tree::Text(rule.rollout.by == ShareOf::kPod ? "pod" : "workload"));
  }
  if (rule.window != Window()) {
    Tree& window = out.Set("window", Tree::Object());
    if (rule.window.from) window.Set("from", Tree::Text(FormatRfc3339Micro(*rule.window.from)));
    if (rule.window.until) window.Set("until", Tree::Text(FormatRfc3339Micro(*rule.window.until)));
  }
  out.Set("mode", Tree::Text(rule.mode == Mode::kEnforce ? "enforce" : "report"));
  if (rule.always) out.Set("always", Tree::Plain("true"));
  if (rule.override_existing) out.Set("onConflict", Tree::Text("override"));
  out.Set("inject", InjectionTree(rule.injection));
  return out;
}

std::string EncodeWith(const SchedulingRule& rule, const Tree* spec) {
  std::string out = Concat(R"({"apiVersion":")", kApiVersion, R"(","kind":")", kRuleKind, R"(","metadata":{)");
  AppendJsonField(out, "name", rule.name);
  if (!rule.uid.empty()) AppendJsonField(out, "uid", rule.uid);
  if (!rule.resource_version.empty()) AppendJsonField(out, "resourceVersion", rule.resource_version);
  if (rule.generation != 0) {
    AppendJsonKey(out, "generation");
    AppendJsonInt(out, rule.generation);
  }
  out += '}';
  if (spec != nullptr) {
    AppendJsonKey(out, "spec");
    spec->AppendTo(out);
  }
  AppendJsonKey(out, "status");
  AppendJson(out, rule.status);
  out += '}';
  return out;
}

}  // namespace

std::string EncodeRule(const SchedulingRule& rule) {
  const Tree spec = SpecTree(rule);
  return EncodeWith(rule, &spec);
}

std::string EncodeRuleStatus(const SchedulingRule& rule) { return EncodeWith(rule, nullptr); }

}  // namespace huygens::rules
