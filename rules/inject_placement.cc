// What a rule says of where pods go. Requirements of nodes are AND-ed into every term that the pod has, since terms are
// alternatives; lists get what they do not have yet.
#include <algorithm>
#include <vector>

#include "rules/editor.h"

namespace huygens::rules {

namespace {

constexpr std::string_view kRequired = "requiredDuringSchedulingIgnoredDuringExecution";
constexpr std::string_view kPreferred = "preferredDuringSchedulingIgnoredDuringExecution";

std::vector<std::string_view> SortedValues(const Tree& requirement) {
  std::vector<std::string_view> values;
  if (const Tree* list = requirement.Find("values"); list != nullptr) {
    for (const Tree& value : list->elements()) values.push_back(value.text());
  }
  std::ranges::sort(values);
  return values;
}

bool SameRequirement(const Tree& a, const Tree& b) {
  return a.TextOf("key") == b.TextOf("key") && a.TextOf("operator") == b.TextOf("operator") &&
         SortedValues(a) == SortedValues(b);
}

size_t CountIn(const Tree& object, std::string_view key) {
  const Tree* list = object.Find(key);
  return list != nullptr ? list->elements().size() : 0;
}

void AddRequiredNodes(Editor& editor, const std::vector<Tree>& requirements) {
  if (requirements.empty()) return;
  Tree& affinity = editor.ObjectIn(editor.ObjectIn(editor.pod_spec(), "affinity"), "nodeAffinity");
  auto& terms = editor.ListIn(editor.ObjectIn(affinity, kRequired), "nodeSelectorTerms").elements();
  if (terms.empty()) {
    Tree& term = terms.emplace_back(Tree::Object());
    term.Set("matchExpressions", Tree::List()).elements().push_back(requirements.front());
    editor.NoteAddition("nodeAffinity/required", requirements.front());
  }
  for (Tree& term : terms) {
    // A term without any requirement is for no node at all; with one it would be for some.
    if (CountIn(term, "matchExpressions") + CountIn(term, "matchFields") == 0) continue;
    auto& expressions = editor.ListIn(term, "matchExpressions").elements();
    for (const Tree& requirement : requirements) {
      editor.InEffect();
      const bool there =
          std::ranges::any_of(expressions, [&](const Tree& each) { return SameRequirement(each, requirement); });
      if (there) continue;
      expressions.push_back(requirement);
      editor.NoteAddition("nodeAffinity/required", requirement);
    }
  }
}

// Elements of these lists that are not wholly equal are different wishes, which go together.
void AddTerms(Editor& editor, std::string_view affinity_kind, std::string_view list_name,
              const std::vector<Tree>& terms) {
  if (terms.empty()) return;
  Tree& affinity = editor.ObjectIn(editor.ObjectIn(editor.pod_spec(), "affinity"), affinity_kind);
  Tree& list = editor.ListIn(affinity, list_name);
  for (const Tree& term : terms) {
    editor.InEffect();
    if (std::ranges::find(list.elements(), term) != list.elements().end()) continue;
    list.elements().push_back(term);
    editor.NoteAddition(Concat(affinity_kind, list_name == kRequired ? "/required" : "/preferred"), term);
  }
}

std::string_view OperatorOf(const Tree& toleration) {
  const std::string_view operation = toleration.TextOf("operator");
  return operation.empty() ? "Equal" : operation;
}

// With its members in one order.
Tree Sorted(const Tree& tree) {
  if (tree.kind() == Tree::Kind::kList) {
    Tree list = Tree::List();
    for (const Tree& each : tree.elements()) list.elements().push_back(Sorted(each));
    return list;
  }
  if (tree.kind() != Tree::Kind::kObject) return tree;
  std::vector<const Tree::Member*> members;
  for (const Tree::Member& member : tree.members()) members.push_back(&member);
  std::ranges::sort(members, {}, [](const Tree::Member* member) { return std::string_view(member->first); });
  Tree object = Tree::Object();
  for (const Tree::Member* member : members) {
    if (!member->second.IsNull()) object.Set(member->first, Sorted(member->second));
  }
  return object;
}

// With the operator that is meant where none is written.
Tree PlainToleration(const Tree& toleration) {
  Tree plain = Sorted(toleration);
  plain.Set("operator", Tree::Text(OperatorOf(toleration)));
  return Sorted(plain);
}

void AddToleration(Editor& editor, const SchedulingRule& rule, const Tree& toleration) {
  const auto same = [&](const Tree& each) {
    return each.TextOf("key") == toleration.TextOf("key") && OperatorOf(each) == OperatorOf(toleration) &&
           each.TextOf("value") == toleration.TextOf("value") && each.TextOf("effect") == toleration.TextOf("effect");
  };
  const std::string field = Concat("tolerations/", toleration.TextOf("key"), " ", OperatorOf(toleration), " ",
                                   toleration.TextOf("value"), " ", toleration.TextOf("effect"));
  editor.AddToList(editor.ListIn(editor.pod_spec(), "tolerations"), toleration, field, same, PlainToleration,
                   rule.override_existing);
}

void AddSpread(Editor& editor, const SchedulingRule& rule, const Tree& spread) {
  const auto same = [&](const Tree& each) {
    return each.TextOf("topologyKey") == spread.TextOf("topologyKey") &&
           each.TextOf("whenUnsatisfiable") == spread.TextOf("whenUnsatisfiable");
  };
  const std::string field =
      Concat("topologySpreadConstraints/", spread.TextOf("topologyKey"), " ", spread.TextOf("whenUnsatisfiable"));
  editor.AddToList(editor.ListIn(editor.pod_spec(), "topologySpreadConstraints"), spread, field, same, Sorted,
                   rule.override_existing);
}

void SetPriorityClass(Editor& editor, const SchedulingRule& rule, const std::string& name) {
  Tree& spec = editor.pod_spec();
  const Tree& object = editor.subject().object();
  std::vector<std::string_view> path(editor.subject().kind().template_path.begin(),
                                     editor.subject().kind().template_path.end());
  path.push_back("spec");
  const Tree* was = FindAt(object, path);
  const bool had = was != nullptr && was->TextOf("priorityClassName") == name;
  editor.SetText(spec, "priorityClassName", "spec/priorityClassName", name, rule.override_existing);
  if (had || spec.TextOf("priorityClassName") != name) return;
  // What the API server had worked out from the class before; it refuses a pod where they do not go with the new one,
  // and fills them in where they are absent.
  spec.Erase("priority");
  spec.Erase("preemptionPolicy");
}

}  // namespace

void InjectPlacement(Editor& editor, const SchedulingRule& rule) {
  if (!editor.subject().reach().pod_spec) return;
  const Injection& injection = rule.injection;
  for (const Tree& toleration : injection.tolerations) AddToleration(editor, rule, toleration);
  AddRequiredNodes(editor, injection.required_nodes);
  AddTerms(editor, "nodeAffinity", kPreferred, injection.preferred_nodes);
  AddTerms(editor, "podAffinity", kRequired, injection.required_near);
  AddTerms(editor, "podAffinity", kPreferred, injection.preferred_near);
  AddTerms(editor, "podAntiAffinity", kRequired, injection.required_apart);
  AddTerms(editor, "podAntiAffinity", kPreferred, injection.preferred_apart);
  for (const Tree& spread : injection.topology_spread) AddSpread(editor, rule, spread);
  if (!injection.scheduler_name.empty()) {
    editor.SetText(editor.pod_spec(), "schedulerName", "spec/schedulerName", injection.scheduler_name,
                   rule.override_existing, "default-scheduler");
  }
  if (!injection.priority_class_name.empty()) SetPriorityClass(editor, rule, injection.priority_class_name);
}

}  // namespace huygens::rules
