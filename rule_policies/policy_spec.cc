// Where pods go: names in the spec, tolerations, spread and affinity.
#include <algorithm>

#include "base/text.h"
#include "rule_policies/cel.h"
#include "rule_policies/policy_writer.h"

namespace huygens::rule_policies {

namespace {

using rules::Injection;
using rules::SchedulingRule;
using rules::Tree;

constexpr std::string_view kRequired = "requiredDuringSchedulingIgnoredDuringExecution";
constexpr std::string_view kPreferred = "preferredDuringSchedulingIgnoredDuringExecution";

std::string_view OperatorOf(const Tree& toleration) {
  const std::string_view word = toleration.TextOf("operator");
  return word.empty() ? "Equal" : word;
}

std::string MemberIs(std::string_view element, std::string_view member, std::string_view value) {
  const std::string path = Concat(element, ".", member);
  if (value.empty()) return Concat("(!has(", path, ") || ", path, " == '')");
  return Concat("(has(", path, ") && ", path, " == ", CelText(value), ")");
}

std::string TolerationIdentity(const Tree& item) {
  return Concat(item.TextOf("key"), " ", OperatorOf(item), " ", item.TextOf("value"), " ", item.TextOf("effect"));
}

std::string SameToleration(const Tree& item, std::string_view element) {
  std::string word = MemberIs(element, "operator", OperatorOf(item));
  if (OperatorOf(item) == "Equal") word = Any({MemberIs(element, "operator", ""), word});
  return All({MemberIs(element, "key", item.TextOf("key")), word, MemberIs(element, "value", item.TextOf("value")),
              MemberIs(element, "effect", item.TextOf("effect"))});
}

std::string EqualToleration(const Tree& item, std::string_view element) {
  const Tree* seconds = item.Find("tolerationSeconds");
  const std::string path = Concat(element, ".tolerationSeconds");
  return seconds == nullptr ? Concat("!has(", path, ")")
                            : Concat("(has(", path, ") && ", path, " == ", seconds->text(), ")");
}

std::string SpreadIdentity(const Tree& item) {
  return Concat(item.TextOf("topologyKey"), " ", item.TextOf("whenUnsatisfiable"));
}

std::string SameSpread(const Tree& item, std::string_view element) {
  return All({MemberIs(element, "topologyKey", item.TextOf("topologyKey")),
              MemberIs(element, "whenUnsatisfiable", item.TextOf("whenUnsatisfiable"))});
}

std::string EqualValue(const Tree& item, std::string_view element) {
  return Concat("(", element, " == ", CelValue(item), ")");
}

// Of requirements of nodes; their values are a set.
std::string SameRequirement(const Tree& item, std::string_view element) {
  std::vector<std::string> values;
  if (const Tree* list = item.Find("values"); list != nullptr) {
    for (const Tree& value : list->elements()) values.emplace_back(value.text());
  }
  std::ranges::sort(values);
  const std::string path = Concat(element, ".values");
  const std::string same = values.empty()
                               ? Concat("(!has(", path, ") || size(", path, ") == 0)")
                               : Concat("(has(", path, ") && size(", path, ") == ", std::to_string(values.size()),
                                        " && sets.equivalent(", path, ", ", CelTexts(values), "))");
  return All(
      {MemberIs(element, "key", item.TextOf("key")), MemberIs(element, "operator", item.TextOf("operator")), same});
}

bool IsSameRequirement(const Tree& a, const Tree& b) { return SameRequirement(a, "e") == SameRequirement(b, "e"); }

bool HasAffinity(const Injection& injection) {
  return !injection.required_nodes.empty() || !injection.preferred_nodes.empty() || !injection.required_near.empty() ||
         !injection.preferred_near.empty() || !injection.required_apart.empty() || !injection.preferred_apart.empty();
}

}  // namespace

void PolicyWriter::WriteSpec() {
  WriteSpecText("schedulerName", &Injection::scheduler_name, "default-scheduler");
  WriteSpecText("priorityClassName", &Injection::priority_class_name, "");
  WriteTolerations();
  WriteSpread();
  WriteAffinity();
}

void PolicyWriter::WriteSpecText(std::string_view member, std::string Injection::* text, std::string unset) {
  const std::string path = PodPath(Concat("spec.", member));
  TextPlace place{.field = Concat("spec/", member),
                  .present = Concat("has(", path, ")"),
                  .value = path,
                  .unset = std::move(unset),
                  .set = {}};
  const std::string pointer = PodPointer("spec");
  place.set = [&](const std::string& condition, const std::string& value) {
    std::vector patches{PatchIf(condition, "add", CelText(Concat(pointer, "/", member)), value)};
    if (member != "priorityClassName") return patches;
    // What the API server had worked out from the class before; it fills them in anew.
    for (const std::string_view old : {"priority", "preemptionPolicy"}) {
      patches.push_back(PatchIf(All({condition, Concat("has(", PodPath("spec."), old, ")")}), "remove",
                                CelText(Concat(pointer, "/", old))));
    }
    return patches;
  };
  std::vector<TextOffer> offers;
  for (size_t i = 0; i < rules_.size(); ++i) {
    const std::string& value = rules_[i]->injection.*text;
    if (!value.empty()) offers.push_back({i, value, rules_[i]->override_existing ? "true" : "false"});
  }
  WriteTexts(place, offers);
}

void PolicyWriter::WriteTolerations() {
  std::vector<ListOffer> offers;
  std::vector<std::string> matching;
  for (size_t i = 0; i < rules_.size(); ++i) {
    for (const Tree& item : rules_[i]->injection.tolerations) offers.push_back({i, &item});
    if (!rules_[i]->injection.tolerations.empty()) matching.push_back(MatchesSpec(i));
  }
  if (offers.empty()) return;
  const std::string path = PodPath("spec.tolerations");
  variables_.emplace_back("tolerations", Concat("has(", path, ") ? ", path, " : []"));
  MakeParent(Concat("!has(", path, ")"), Any(matching), PodPointer("spec/tolerations"), "[]");
  WriteList({.list = "variables.tolerations",
             .pointer = PodPointer("spec/tolerations"),
             .identity = TolerationIdentity,
             .same = SameToleration,
             .equal = EqualToleration},
            offers);
}

void PolicyWriter::WriteSpread() {
  std::vector<ListOffer> offers;
  std::vector<std::string> matching;
  for (size_t i = 0; i < rules_.size(); ++i) {
    for (const Tree& item : rules_[i]->injection.topology_spread) offers.push_back({i, &item});
    if (!rules_[i]->injection.topology_spread.empty()) matching.push_back(MatchesSpec(i));
  }
  if (offers.empty()) return;
  const std::string path = PodPath("spec.topologySpreadConstraints");
  variables_.emplace_back("spread", Concat("has(", path, ") ? ", path, " : []"));
  MakeParent(Concat("!has(", path, ")"), Any(matching), PodPointer("spec/topologySpreadConstraints"), "[]");
  WriteList({.list = "variables.spread",
             .pointer = PodPointer("spec/topologySpreadConstraints"),
             .identity = SpreadIdentity,
             .same = SameSpread,
             .equal = EqualValue},
            offers);
}

void PolicyWriter::WriteAffinity() {
  struct Kind {
    std::string_view name;
    std::vector<Tree> Injection::* required;
    std::vector<Tree> Injection::* preferred;
  };
  constexpr Kind kKinds[] = {{"nodeAffinity", nullptr, &Injection::preferred_nodes},
                             {"podAffinity", &Injection::required_near, &Injection::preferred_near},
                             {"podAntiAffinity", &Injection::required_apart, &Injection::preferred_apart}};
  std::vector<std::string> matching;
  for (size_t i = 0; i < rules_.size(); ++i) {
    if (HasAffinity(rules_[i]->injection)) matching.push_back(MatchesSpec(i));
  }
  if (matching.empty()) return;
  const std::string path = PodPath("spec.affinity");
  variables_.emplace_back("affinity", Concat("has(", path, ") ? ", path, " : {}"));
  MakeParent(Concat("!has(", path, ")"), Any(matching), PodPointer("spec/affinity"), "{}");
  for (const Kind& kind : kKinds) {
    std::vector<std::string> here;
    for (size_t i = 0; i < rules_.size(); ++i) {
      const Injection& injection = rules_[i]->injection;
      const bool required =
          kind.required != nullptr ? !(injection.*kind.required).empty() : !injection.required_nodes.empty();
      if (required || !(injection.*kind.preferred).empty()) here.push_back(MatchesSpec(i));
    }
    if (here.empty()) continue;
    const std::string holder = Concat("variables.affinity.", kind.name);
    variables_.emplace_back(kind.name, Concat("has(", holder, ") ? ", holder, " : {}"));
    const std::string pointer = PodPointer(Concat("spec/affinity/", kind.name));
    MakeParent(Concat("!has(", holder, ")"), Any(here), pointer, "{}");
    const std::string mine = Concat("variables.", kind.name);
    if (kind.required != nullptr) {
      WriteTerms(mine, pointer, kRequired, kind.required);
    } else {
      WriteRequiredNodes(mine, pointer);
    }
    WriteTerms(mine, pointer, kPreferred, kind.preferred);
  }
}

void PolicyWriter::WriteTerms(const std::string& holder, const std::string& pointer, std::string_view list,
                              std::vector<Tree> Injection::* terms) {
  std::vector<std::pair<size_t, const Tree*>> offers;
  std::vector<std::string> matching;
  for (size_t i = 0; i < rules_.size(); ++i) {
    const std::vector<Tree>& mine = rules_[i]->injection.*terms;
    if (mine.empty()) continue;
    matching.push_back(MatchesSpec(i));
    in_effect_[i].push_back(MatchesSpec(i));
    for (size_t k = 0; k < mine.size(); ++k) {
      if (std::find(mine.begin(), mine.begin() + static_cast<ptrdiff_t>(k), mine[k]) ==
          mine.begin() + static_cast<ptrdiff_t>(k)) {
        offers.emplace_back(i, &mine[k]);
      }
    }
  }
  if (offers.empty()) return;
  const std::string path = Concat(holder, ".", list);
  const std::string elements = Variable("terms", Concat("has(", path, ") ? ", path, " : []"));
  MakeParent(Concat("!has(", path, ")"), Any(matching), Concat(pointer, "/", list), "[]");
  for (size_t o = 0; o < offers.size(); ++o) {
    const auto& [rule, term] = offers[o];
    std::vector<std::string> earlier;
    for (size_t p = 0; p < o; ++p) {
      if (*offers[p].second == *term) earlier.push_back(Matches(offers[p].first));
    }
    patches_.push_back(PatchIf(
        All({MatchesSpec(rule), Not(Any(earlier)), Not(Concat(elements, ".exists(e, ", EqualValue(*term, "e"), ")"))}),
        "add", CelText(Concat(pointer, "/", list, "/-")), CelValue(*term)));
  }
}

void PolicyWriter::WriteRequiredNodes(const std::string& holder, const std::string& pointer) {
  std::vector<std::string> added, matching;  // lists of one requirement or none
  std::vector<std::pair<size_t, const Tree*>> offers;
  for (size_t i = 0; i < rules_.size(); ++i) {
    const std::vector<Tree>& mine = rules_[i]->injection.required_nodes;
    if (!mine.empty()) matching.push_back(MatchesSpec(i));
    for (const Tree& requirement : mine) {
      std::vector<std::string> earlier;
      bool twice = false;
      for (const auto& [rule, other] : offers) {
        if (!IsSameRequirement(*other, requirement)) continue;
        twice = twice || rule == i;
        earlier.push_back(Matches(rule));
      }
      if (twice) continue;
      offers.emplace_back(i, &requirement);
      const std::string condition = All({MatchesSpec(i), Not(Any(earlier))});
      added.push_back(Concat("(", condition, " ? [", CelValue(requirement), "] : [])"));
    }
  }
  if (offers.empty()) return;
  const std::string required = Concat(holder, ".", kRequired);
  const std::string list = Concat(required, ".nodeSelectorTerms");
  const std::string terms = Variable("node_terms", Concat("has(", required, ") && has(", list, ") ? ", list, " : []"));
  const std::string all = Variable("requirements", SumOf(added));
  const std::string some = Concat("size(", all, ") > 0"), none = Concat("size(", terms, ") == 0");
  const std::string at = Concat(pointer, "/", kRequired);
  patches_.push_back(PatchIf(All({some, none}), "add", CelText(at),
                             Concat("{'nodeSelectorTerms': [{'matchExpressions': ", all, "}]}")));
  // A term without any requirement is for no node at all; with one it would be for some.
  const auto count = [](std::string_view member) { return Concat("(has(t.", member, ") ? size(t.", member, ") : 0)"); };
  const std::string filled = Concat("(", count("matchExpressions"), " + ", count("matchFields"), " > 0)");
  const std::string there = "(has(t.matchExpressions) ? t.matchExpressions : [])";
  // Requirements that are added are compared by what they say, their values as a set.
  const std::string same =
      "x.key == r.key && x.operator == r.operator && (has(x.values) ? size(x.values) : 0) == (has(r.values) ? "
      "size(r.values) : 0) && (!has(r.values) || sets.equivalent(x.values, r.values))";
  const std::string value = Concat(there, " + ", all, ".filter(r, !", there, ".exists(x, ", same, "))");
  patches_.push_back(Concat("(", some, " ? ", terms, ".transformList(i, t, ", filled,
                            ", JSONPatch{op: 'add', path: ", CelText(Concat(at, "/nodeSelectorTerms/")),
                            " + string(i) + '/matchExpressions', value: ", value, "}) : [])"));
  for (size_t i = 0; i < rules_.size(); ++i) {
    if (rules_[i]->injection.required_nodes.empty()) continue;
    in_effect_[i].push_back(All({MatchesSpec(i), Any({none, Concat(terms, ".exists(t, ", filled, ")")})}));
  }
}

}  // namespace huygens::rule_policies
