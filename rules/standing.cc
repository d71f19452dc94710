#include "rules/standing.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "base/text.h"
#include "rules/kinds.h"

namespace huygens::rules {

namespace {

std::optional<std::string_view> LabelOf(const Labels& labels, std::string_view key) {
  const auto at = std::ranges::find(labels, key, &std::pair<std::string, std::string>::first);
  return at == labels.end() ? std::nullopt : std::optional<std::string_view>(at->second);
}

std::optional<int64_t> WholeNumber(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

bool IsMetadata(std::string_view field) { return field.starts_with("labels/") || field.starts_with("annotations/"); }
bool IsToleration(std::string_view field) { return field.starts_with("tolerations/"); }

const Tree* SpecOf(const Tree& object) { return object.Find("spec"); }

// All that cannot be changed of a pod that is there.
Tree LastingSpec(const Tree& object) {
  Tree spec = SpecOf(object) != nullptr ? *SpecOf(object) : Tree::Object();
  for (const std::string_view member : {"tolerations", "nodeName"}) spec.Erase(member);
  // What rules leave behind empty is as if it were not there.
  if (Tree* affinity = spec.Find("affinity"); affinity != nullptr && affinity->members().empty())
    spec.Erase("affinity");
  for (const std::string_view list : {"topologySpreadConstraints"}) {
    if (Tree* each = spec.Find(list); each != nullptr && each->elements().empty()) spec.Erase(list);
  }
  return spec;
}

// Tolerations can be added to a pod, and none can be taken away.
void TakeTolerations(const Tree& from, Tree& object) {
  constexpr std::string_view kPath[] = {"spec", "tolerations"};
  const Tree* wanted = FindAt(from, kPath);
  Tree* spec = object.Find("spec");
  if (wanted == nullptr || wanted->elements().empty() || spec == nullptr) return;
  if (const Tree* is = spec->Find("tolerations"); is != nullptr) {
    for (const Tree& each : is->elements()) {
      if (std::ranges::find(wanted->elements(), each) == wanted->elements().end()) return;
    }
  }
  spec->Set("tolerations", *wanted);
}

bool ToleratesAll(const Tree& object, const Tree& wanted) {
  constexpr std::string_view kPath[] = {"spec", "tolerations"};
  const Tree* will = FindAt(wanted, kPath);
  const Tree* is = FindAt(object, kPath);
  return will == nullptr || will->elements().empty() || (is != nullptr && *is == *will);
}

void Add(std::vector<Lack>& lacks, const FieldChange& change) {
  const bool there = std::ranges::any_of(lacks, [&](const Lack& each) {
    return each.rule == change.rule && each.field == change.field && each.wanted == change.after;
  });
  if (!there) lacks.push_back({change.rule, change.field, change.after});
}

void TakeVerdicts(const Outcome& outcome, Standing& standing) {
  for (const RuleOutcome& each : outcome.rules) {
    const bool matched = each.verdict == Verdict::kApplied || each.verdict == Verdict::kWouldApply ||
                         each.verdict == Verdict::kOnlyConflicts || each.verdict == Verdict::kNothingHere;
    if (matched && std::ranges::find(standing.matched, each.rule) == standing.matched.end()) {
      standing.matched.push_back(each.rule);
    }
  }
}

void FindCarried(const Outcome& outcome, Standing& standing) {
  for (const RuleOutcome& each : outcome.rules) {
    if (each.verdict != Verdict::kApplied) continue;
    const bool lacks = std::ranges::find(standing.lacks, each.rule, &Lack::rule) != standing.lacks.end();
    if (!lacks && std::ranges::find(standing.carried, each.rule) == standing.carried.end()) {
      standing.carried.push_back(each.rule);
    }
  }
}

// Whether a patch has to do with the field of a change.
bool Touches(std::string_view patch, std::string_view field) {
  const size_t slash = std::min(field.find('/'), field.size());
  const std::string_view section = field.substr(0, slash);
  const std::string_view key = field.substr(std::min(slash + 1, field.size()));
  const bool by_key = section == "labels" || section == "annotations" || section == "allocatable";
  const bool whole = patch.find(Concat("/", section, "\"")) != std::string_view::npos;
  return whole || patch.find(by_key ? Concat("/", section, "/", PointerPart(key), "\"") : Concat("/", section)) !=
                      std::string_view::npos;
}

// What is carried has its record, and nothing that is to be changed.
void KeepCarried(const Tree& live, const std::vector<FieldChange>& changes, std::string_view patch,
                 Standing& standing) {
  if (patch.empty()) return;
  constexpr std::string_view kRecord[] = {"metadata", "annotations", kAppliedAnnotation};
  const Tree* record = FindAt(live, kRecord);
  const std::vector<AppliedRule> applied = ReadApplied(record != nullptr ? record->text() : std::string_view());
  std::erase_if(standing.carried, [&](const SchedulingRule* rule) {
    const AppliedRule version{rule->name, std::to_string(rule->generation)};
    return std::ranges::find(applied, version) == applied.end() ||
           std::ranges::any_of(
               changes, [&](const FieldChange& change) { return change.rule == rule && Touches(patch, change.field); });
  });
}

bool IsOver(const Tree& live) {
  constexpr std::string_view kPath[] = {"status", "phase"};
  const Tree* phase = FindAt(live, kPath);
  return phase != nullptr && (phase->text() == "Succeeded" || phase->text() == "Failed");
}

ObjectWrite PodWrite(Operation operation, std::string_view object, std::string_view old_object) {
  return {.operation = operation,
          .group = {},
          .kind = "Pod",
          .subresource = {},
          .namespace_name = {},
          .object = object,
          .old_object = old_object};
}

StatusOr<Standing> JudgePod(const Tree& live, const LiveObject& object, const RuleSet& rules,
                            const Surroundings& surroundings) {
  Standing standing;
  if (IsOver(live)) {
    standing.untouched = "the pod is over";
    return standing;
  }
  const std::string anew = AsNew(live).Json();
  HUYGENS_ASSIGN_OR_RETURN(Outcome made, Inject(PodWrite(Operation::kCreate, anew, {}), rules, surroundings));
  if (!made.untouched.empty()) {
    standing.untouched = std::move(made.untouched);
    return standing;
  }
  TakeVerdicts(made, standing);
  for (const FieldChange& change : made.changes) {
    if (!IsMetadata(change.field) && !IsToleration(change.field)) Add(standing.lacks, change);
  }
  for (const FieldChange& change : made.would_change) Add(standing.would_lack, change);
  standing.conflicts = std::move(made.conflicts);
  Tree target = live;
  if (LastingSpec(made.object) == LastingSpec(live)) {
    // All of it can be had in place, and so can its record.
    if (const Tree* metadata = made.object.Find("metadata"); metadata != nullptr) target.Set("metadata", *metadata);
  } else {
    HUYGENS_ASSIGN_OR_RETURN(Outcome updated,
                             Inject(PodWrite(Operation::kUpdate, object.json, object.json), rules, surroundings));
    if (!updated.object.IsNull()) target = std::move(updated.object);
  }
  TakeTolerations(made.object, target);
  if (!ToleratesAll(target, made.object)) {
    // Another's toleration would have to go, which no API server does to a pod that is there.
    for (const FieldChange& change : made.changes) {
      if (IsToleration(change.field)) Add(standing.lacks, change);
    }
  }
  if (target != live) {
    // As the webhook will see it: what it would change of the patch would be patched again and again.
    const std::string wanted = target.Json();
    HUYGENS_ASSIGN_OR_RETURN(Outcome settled,
                             Inject(PodWrite(Operation::kUpdate, wanted, object.json), rules, surroundings));
    if (!settled.object.IsNull()) target = std::move(settled.object);
  }
  standing.patch = JsonPatchBetween(live, target);
  FindCarried(made, standing);
  KeepCarried(live, made.changes, standing.patch, standing);
  return standing;
}

StatusOr<Standing> JudgeNode(const Tree& live, const LiveObject& object, const RuleSet& rules,
                             const Surroundings& surroundings) {
  Standing standing;
  ObjectWrite write{.operation = Operation::kUpdate,
                    .group = {},
                    .kind = "Node",
                    .subresource = {},
                    .namespace_name = {},
                    .object = object.json,
                    .old_object = object.json};
  HUYGENS_ASSIGN_OR_RETURN(Outcome plain, Inject(write, rules, surroundings));
  if (!plain.untouched.empty()) {
    standing.untouched = std::move(plain.untouched);
    return standing;
  }
  write.subresource = "status";
  HUYGENS_ASSIGN_OR_RETURN(Outcome status, Inject(write, rules, surroundings));
  standing.patch = JsonPatchBetween(live, plain.object);
  standing.status_patch = JsonPatchBetween(live, status.object);
  for (Outcome* outcome : {&plain, &status}) {
    TakeVerdicts(*outcome, standing);
    FindCarried(*outcome, standing);
    for (const FieldChange& change : outcome->would_change) Add(standing.would_lack, change);
    std::ranges::move(outcome->conflicts, std::back_inserter(standing.conflicts));
  }
  KeepCarried(live, plain.changes, standing.patch, standing);
  KeepCarried(live, status.changes, standing.status_patch, standing);
  return standing;
}

}  // namespace

bool LeavesRulesOut(const Labels& namespace_labels) { return LabelOf(namespace_labels, kRulesLabel) == kIgnoreValue; }

Tree AsNew(const Tree& live) {
  Tree object = live;
  object.Erase("status");
  if (Tree* spec = object.Find("spec"); spec != nullptr) spec->Erase("nodeName");
  return object;
}

StatusOr<Standing> JudgeStanding(const LiveObject& object, const RuleSet& rules, const Surroundings& surroundings) {
  HUYGENS_ASSIGN_OR_RETURN(const Tree live, Tree::Parse(object.json));
  if (object.kind == "Pod") return JudgePod(live, object, rules, surroundings);
  if (object.kind == "Node") return JudgeNode(live, object, rules, surroundings);
  return Invalid(Concat("objects of the kind ", object.kind, " are not judged where they are"));
}

std::vector<Violation::Reason> Misplacement(std::span<const Lack> lacks, const Labels& node_labels) {
  std::vector<Violation::Reason> reasons;
  for (const Lack& lack : lacks) {
    if (lack.field != "nodeAffinity/required") continue;
    const StatusOr<Tree> requirement = Tree::Parse(lack.wanted);
    if (!requirement.ok() || MeetsRequirement(node_labels, *requirement)) continue;
    reasons.push_back({lack.rule->Version(), lack.field, lack.wanted});
  }
  return reasons;
}

bool MeetsRequirement(const Labels& labels, const Tree& requirement) {
  const std::optional<std::string_view> label = LabelOf(labels, requirement.TextOf("key"));
  const std::string_view word = requirement.TextOf("operator");
  const Tree* values = requirement.Find("values");
  const auto is_one = [&] {
    return values != nullptr &&
           std::ranges::any_of(values->elements(), [&](const Tree& each) { return label && each.text() == *label; });
  };
  if (word == "In") return is_one();
  if (word == "NotIn") return !is_one();
  if (word == "Exists") return label.has_value();
  if (word == "DoesNotExist") return !label;
  if (!label || values == nullptr || values->elements().size() != 1) return false;
  const std::optional<int64_t> has = WholeNumber(*label), than = WholeNumber(values->elements()[0].text());
  if (!has || !than) return false;
  return word == "Gt" ? *has > *than : word == "Lt" && *has < *than;
}

}  // namespace huygens::rules
