#include "rule_policies/compile.h"

#include <algorithm>
#include <cctype>

#include "base/text.h"
#include "rule_policies/cel.h"
#include "rule_policies/policy_writer.h"
#include "rule_policies/refusal.h"
#include "rule_policies/selection.h"

namespace huygens::rule_policies {

namespace {

using rules::KnownKind;
using rules::SchedulingRule;
using rules::Shape;
using rules::Tree;

constexpr std::string_view kApiVersion = "admissionregistration.k8s.io/v1";

Tree Texts(std::initializer_list<std::string_view> texts) {
  Tree list = Tree::List();
  for (const std::string_view text : texts) list.elements().push_back(Tree::Text(text));
  return list;
}

Tree Named(std::string_view kind, const std::string& name) {
  Tree object = Tree::Object();
  object.Set("apiVersion", Tree::Text(kApiVersion));
  object.Set("kind", Tree::Text(kind));
  Tree& metadata = object.Set("metadata", Tree::Object());
  metadata.Set("name", Tree::Text(name));
  metadata.Set("labels", Tree::Object()).Set(kOursLabel, Tree::Text("true"));
  return object;
}

std::string Lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

// "statefulsets": the plural of each kind that rules are for is regular.
std::string ResourceOf(const KnownKind& kind) { return Concat(Lower(kind.kind), "s"); }

// All fields are written, those too that the API server would fill in: what is stored can be compared.
Tree ConstraintsTree(const KnownKind& kind, const std::vector<const SchedulingRule*>& rules,
                     std::span<const std::string> own_namespaces) {
  Tree constraints = Tree::Object();
  Tree& namespaces = constraints.Set("namespaceSelector", Tree::Object());
  if (kind.shape != Shape::kNode) {
    std::vector<std::string> others = {"kube-system", "kube-public", "kube-node-lease"};
    for (const std::string& own : own_namespaces) {
      if (std::ranges::find(others, own) == others.end()) others.push_back(own);
    }
    namespaces = SelectorTree({{.key = "kubernetes.io/metadata.name",
                                .operation = LabelRequirement::Operation::kNotIn,
                                .values = std::move(others)},
                               {.key = std::string(rules::kRulesLabel),
                                .operation = LabelRequirement::Operation::kNotIn,
                                .values = {std::string(rules::kIgnoreValue)}}});
  }
  constraints.Set("objectSelector", SelectorTree(CommonRequirements(rules)));
  Tree& list = constraints.Set("resourceRules", Tree::List());
  for (const std::string_view group : kind.groups) {
    Tree& rule = list.elements().emplace_back(Tree::Object());
    rule.Set("apiGroups", Texts({group}));
    rule.Set("apiVersions", Texts({"*"}));
    rule.Set("operations", Texts({"CREATE"}));
    const std::string resource = ResourceOf(kind);
    rule.Set("resources", Texts({resource}));
    rule.Set("scope", Tree::Text("*"));
  }
  constraints.Set("matchPolicy", Tree::Text("Equivalent"));
  return constraints;
}

Tree ConditionsTree(const KnownKind& kind) {
  Tree list = Tree::List();
  const auto add = [&](std::string_view name, std::string_view expression) {
    Tree& condition = list.elements().emplace_back(Tree::Object());
    condition.Set("name", Tree::Text(name));
    condition.Set("expression", Tree::Text(expression));
  };
  constexpr std::string_view kAnnotations = "object.metadata.annotations";
  for (const std::string_view map : {"annotations", "labels"}) {
    const std::string said = Concat("object.metadata.", map);
    add(map == "labels" ? "not-skipped-by-label" : "not-skipped",
        Concat("!has(", said, ") || !('rules.huygens.dev/skip' in ", said, ") || ", said,
               "['rules.huygens.dev/skip'] == 'false'"));
  }
  // What rules did before is for the webhook to take back.
  add("no-record-yet", Concat("!has(", kAnnotations, ") || !('rules.huygens.dev/applied' in ", kAnnotations,
                              " || 'rules.huygens.dev/before' in ", kAnnotations, ")"));
  add("not-deleted", "!has(object.metadata.deletionTimestamp)");
  if (kind.shape == Shape::kPod) {
    add("no-mirror", Concat("!has(", kAnnotations, ") || !('kubernetes.io/config.mirror' in ", kAnnotations, ")"));
  } else if (kind.shape == Shape::kController) {
    add("no-owner",
        "!has(object.metadata.ownerReferences) || !object.metadata.ownerReferences.exists(o, has(o.controller) && "
        "o.controller)");
  }
  return list;
}

Policy PolicyOf(const KnownKind& kind, const std::vector<const SchedulingRule*>& rules,
                std::span<const std::string> own_namespaces) {
  Policy made{.name = Concat("huygens-rules-", Lower(kind.kind)), .policy = {}, .binding = {}, .rules = {}};
  made.rules.reserve(rules.size());
  for (const SchedulingRule* rule : rules) made.rules.push_back(rule->name);
  made.policy = Named("MutatingAdmissionPolicy", made.name);
  Tree& spec = made.policy.Set("spec", Tree::Object());
  spec.Set("failurePolicy", Tree::Text("Ignore"));
  spec.Set("reinvocationPolicy", Tree::Text("Never"));
  spec.Set("matchConstraints", ConstraintsTree(kind, rules, own_namespaces));
  spec.Set("matchConditions", ConditionsTree(kind));
  const PolicyWriter writer(kind, rules);
  Tree& variables = spec.Set("variables", Tree::List());
  for (const auto& [name, expression] : writer.variables()) {
    Tree& variable = variables.elements().emplace_back(Tree::Object());
    variable.Set("name", Tree::Text(name));
    variable.Set("expression", Tree::Text(expression));
  }
  Tree& mutation = spec.Set("mutations", Tree::List()).elements().emplace_back(Tree::Object());
  mutation.Set("patchType", Tree::Text("JSONPatch"));
  mutation.Set("jsonPatch", Tree::Object()).Set("expression", Tree::Text(writer.patch()));
  made.binding = Named("MutatingAdmissionPolicyBinding", made.name);
  made.binding.Set("spec", Tree::Object()).Set("policyName", Tree::Text(made.name));
  return made;
}

}  // namespace

Compiled Compile(const rules::RuleSet& rules, std::span<const std::string> own_namespaces) {
  Compiled compiled;
  std::vector<const SchedulingRule*> taken, left;
  for (const SchedulingRule& rule : rules.rules()) {
    const bool in_force = rule.defect.empty() && rule.mode == rules::Mode::kEnforce;
    if (!rule.always) {
      if (in_force) left.push_back(&rule);
      continue;
    }
    std::string reason = RefusalReason(rule, left);
    if (reason.empty()) {
      taken.push_back(&rule);
      continue;
    }
    compiled.refused.push_back({rule.name, std::move(reason)});
    if (in_force) left.push_back(&rule);
  }
  for (const std::string_view name : rules::KindNames()) {
    std::vector<const SchedulingRule*> here;
    for (const SchedulingRule* rule : taken) {
      if (std::ranges::find(rule->selection.kinds, name) != rule->selection.kinds.end()) here.push_back(rule);
    }
    if (!here.empty()) compiled.policies.push_back(PolicyOf(*rules::FindKind("*", name), here, own_namespaces));
  }
  std::ranges::sort(compiled.policies, {}, &Policy::name);
  std::ranges::sort(compiled.refused, {}, &Refusal::rule);
  return compiled;
}

}  // namespace huygens::rule_policies
