#include "rules/inject.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace huygens::rules {

namespace {

// The labels by which rules find an object: those of the object itself, as it was before any rule.
const Tree* LabelsOf(const Tree& object) {
  constexpr std::string_view kPath[] = {"metadata", "labels"};
  return FindAt(object, kPath);
}

// Whether a rule was applied to it, or to what it replaces, before.
bool HasRecord(const Subject& subject) {
  constexpr std::string_view kPath[] = {"metadata", "annotations"};
  for (const Tree* object : {&subject.object(), subject.old_object()}) {
    const Tree* annotations = object != nullptr ? FindAt(*object, kPath) : nullptr;
    if (annotations == nullptr) continue;
    if (annotations->Find(kAppliedAnnotation) != nullptr || annotations->Find(kBeforeAnnotation) != nullptr) {
      return true;
    }
  }
  return false;
}

Verdict ApplyRule(Editor& editor, const SchedulingRule& rule) {
  editor.Begin(rule);
  InjectMetadata(editor, rule);
  InjectResources(editor, rule);
  InjectPlacement(editor, rule);
  InjectNode(editor, rule);
  if (editor.in_effect()) return rule.mode == Mode::kEnforce ? Verdict::kApplied : Verdict::kWouldApply;
  return editor.conflicts_of_rule() > 0 ? Verdict::kOnlyConflicts : Verdict::kNothingHere;
}

// Applies those of `outcomes` that are for the object, and notes what became of those of the mode `noted`.
std::vector<const SchedulingRule*> Apply(Editor& editor, bool with_reports, Mode noted,
                                         std::vector<RuleOutcome>& outcomes, const std::vector<bool>& selected) {
  std::vector<const SchedulingRule*> applied;
  for (size_t i = 0; i < outcomes.size(); ++i) {
    const SchedulingRule& rule = *outcomes[i].rule;
    if (!selected[i] || (rule.mode == Mode::kReport && !with_reports)) continue;
    const Verdict verdict = ApplyRule(editor, rule);
    if (editor.in_effect()) applied.push_back(&rule);
    if (rule.mode == noted) outcomes[i].verdict = verdict;
  }
  return applied;
}

// The rules that an outcome has a verdict for.
std::vector<const SchedulingRule*> RulesFor(const RuleSet& rules, const Subject& subject, const Tree* labels,
                                            Verdicts verdicts) {
  std::vector<const SchedulingRule*> judged;
  if (verdicts == Verdicts::kCandidates) {
    const std::vector<uint32_t> positions = rules.Candidates(subject, labels);
    judged.reserve(positions.size());
    for (const uint32_t position : positions) judged.push_back(&rules.rules()[position]);
  } else {
    judged.reserve(rules.rules().size());
    for (const SchedulingRule& rule : rules.rules()) judged.push_back(&rule);
  }
  return judged;
}

}  // namespace

StatusOr<Outcome> Inject(const ObjectWrite& write, const RuleSet& rules, const Surroundings& surroundings,
                         Verdicts verdicts) {
  HUYGENS_ASSIGN_OR_RETURN(const Subject subject, Subject::Read(write, surroundings));
  Outcome outcome;
  outcome.untouched = subject.untouched();
  if (!outcome.untouched.empty()) return outcome;

  // Copying the object is for those that a rule was or is for.
  std::optional<Editor> editor;
  if (verdicts == Verdicts::kAll || HasRecord(subject)) editor.emplace(subject);
  const Tree* labels = LabelsOf(editor ? editor->object() : subject.object());
  std::vector<bool> selected;
  bool any = false, reports = false;
  for (const SchedulingRule* rule : RulesFor(rules, subject, labels, verdicts)) {
    const Verdict verdict = Judge(*rule, subject, labels, surroundings);
    outcome.rules.push_back({rule, verdict});
    selected.push_back(verdict == Verdict::kApplied);
    any = any || selected.back();
    reports = reports || (selected.back() && rule->mode == Mode::kReport);
  }
  if (!editor) {
    if (!any) return outcome;
    editor.emplace(subject);
  }
  const auto applied = Apply(*editor, false, Mode::kEnforce, outcome.rules, selected);
  editor->WriteRecord(applied, [&](std::string_view name) -> const SchedulingRule* {
    // A node is judged alike in each of its writes; a pod stays as it was made.
    if (subject.kind().shape == Shape::kPod) return rules.Find(name);
    for (size_t i = 0; i < selected.size(); ++i) {
      const SchedulingRule& rule = *outcome.rules[i].rule;
      if (rule.name == name) return selected[i] && rule.mode == Mode::kEnforce ? &rule : nullptr;
    }
    return nullptr;
  });
  HUYGENS_RETURN_IF_ERROR(editor->fault());
  outcome.patch = JsonPatchBetween(subject.object(), editor->object());
  outcome.changes = editor->TakeChanges();
  outcome.conflicts = editor->TakeConflicts();
  outcome.object = std::move(editor->object());
  if (!reports) return outcome;

  Editor whole(subject);
  Apply(whole, true, Mode::kReport, outcome.rules, selected);
  HUYGENS_RETURN_IF_ERROR(whole.fault());
  outcome.would_change = whole.TakeChanges();
  outcome.would_conflict = whole.TakeConflicts();
  const auto enforced = [](const auto& each) { return each.rule->mode == Mode::kEnforce; };
  std::erase_if(outcome.would_change, enforced);
  std::erase_if(outcome.would_conflict, enforced);
  return outcome;
}

}  // namespace huygens::rules
