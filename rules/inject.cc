#include "rules/inject.h"

#include <algorithm>
#include <utility>

namespace huygens::rules {

namespace {

// The labels by which rules find an object: those of the object itself, as it was before any rule.
const Tree* LabelsOf(Editor& editor) {
  const Tree* metadata = editor.object().Find("metadata");
  return metadata != nullptr ? metadata->Find("labels") : nullptr;
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

}  // namespace

StatusOr<Outcome> Inject(const ObjectWrite& write, const RuleSet& rules, const Surroundings& surroundings) {
  HUYGENS_ASSIGN_OR_RETURN(const Subject subject, Subject::Read(write, surroundings));
  Outcome outcome;
  outcome.untouched = subject.untouched();
  if (!outcome.untouched.empty()) return outcome;

  Editor editor(subject);
  const Tree* labels = LabelsOf(editor);
  std::vector<bool> selected;
  bool reports = false;
  for (const SchedulingRule& rule : rules.rules()) {
    const Verdict verdict = Judge(rule, subject, labels, surroundings);
    outcome.rules.push_back({&rule, verdict});
    selected.push_back(verdict == Verdict::kApplied);
    reports = reports || (selected.back() && rule.mode == Mode::kReport);
  }
  const auto applied = Apply(editor, false, Mode::kEnforce, outcome.rules, selected);
  editor.WriteRecord(applied, [&](std::string_view name) -> const SchedulingRule* {
    for (size_t i = 0; i < selected.size(); ++i) {
      const SchedulingRule& rule = rules.rules()[i];
      if (rule.name != name) continue;
      // A node is judged alike in each of its writes; a pod stays as it was made.
      const bool counts = subject.kind().shape == Shape::kPod || (selected[i] && rule.mode == Mode::kEnforce);
      return counts ? &rule : nullptr;
    }
    return nullptr;
  });
  HUYGENS_RETURN_IF_ERROR(editor.fault());
  outcome.patch = JsonPatchBetween(subject.object(), editor.object());
  outcome.changes = editor.TakeChanges();
  outcome.conflicts = editor.TakeConflicts();
  outcome.object = std::move(editor.object());
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
