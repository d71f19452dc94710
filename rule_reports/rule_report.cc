#include "rule_reports/rule_report.h"

#include <span>

#include "base/text.h"
#include "reports/table.h"

namespace huygens::rule_reports {

namespace {

constexpr size_t kWidestCell = 100;

std::string Cell(std::string_view text) {
  return text.size() <= kWidestCell ? std::string(text) : Concat(CutText(text, kWidestCell - 3), "...");
}

void AddChanges(reports::Table& table, const std::vector<rules::FieldChange>& changes, std::string_view mode) {
  for (const rules::FieldChange& each : changes) {
    table.AddRow({each.field, Concat(each.rule->Version(), mode), Cell(each.before), Cell(each.after)});
  }
}

void AddConflicts(reports::Table& table, const std::vector<rules::FieldConflict>& conflicts, std::string_view mode) {
  for (const rules::FieldConflict& each : conflicts) {
    table.AddRow({each.field, Concat(each.rule->Version(), mode), Cell(each.wanted), Cell(each.kept),
                  each.with != nullptr ? each.with->Version() : "the object itself"});
  }
}

std::string Indented(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    out += Concat("  ", text.substr(0, end), "\n");
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

std::string OptionalTable(const reports::Table& table) {
  return table.size() == 0 ? "" : Concat("\n", Indented(table.Text()));
}

// One operation of a patch: "set /metadata/labels/pool to \"shared\"".
std::string OperationText(const rules::Tree& operation) {
  const std::string_view name = operation.TextOf("op"), path = operation.TextOf("path");
  const rules::Tree* value = operation.Find("value");
  if (value == nullptr) return Concat("  - ", path, "\n");
  return Concat(name == "replace" ? "  ~ " : "  + ", path, ": ", value->Json(), "\n");
}

}  // namespace

std::string RuleExplanation(std::string_view object, const rules::Outcome& outcome) {
  if (!outcome.untouched.empty()) return Concat(object, ": ", outcome.untouched, "\n\n");
  reports::Table verdicts({"RULE", "PRIORITY", "VERDICT"});
  for (const rules::RuleOutcome& each : outcome.rules) {
    const std::string& defect = each.rule->defect;
    verdicts.AddRow({each.rule->Version(), std::to_string(each.rule->priority),
                     Concat(rules::VerdictText(each.verdict), defect.empty() ? "" : Concat(": ", defect))});
  }
  reports::Table fields({"FIELD", "RULE", "BEFORE", "AFTER"});
  AddChanges(fields, outcome.changes, "");
  AddChanges(fields, outcome.would_change, " (report)");
  reports::Table conflicts({"CONFLICT", "RULE", "WANTED", "KEPT", "OF"});
  AddConflicts(conflicts, outcome.conflicts, "");
  AddConflicts(conflicts, outcome.would_conflict, " (report)");
  return Concat(object, "\n", Indented(verdicts.Text()), OptionalTable(fields), OptionalTable(conflicts), "\n");
}

std::string PatchText(std::string_view patch) {
  const StatusOr<rules::Tree> operations = rules::Tree::Parse(patch);
  if (patch.empty() || !operations.ok()) return "";
  std::string text;
  for (const rules::Tree& operation : operations->elements()) text += OperationText(operation);
  return text;
}

std::string LackText(const std::vector<rules::Lack>& lacks, const Labels* node) {
  std::string text;
  for (const rules::Lack& lack : lacks) {
    const bool misplaced = node != nullptr && !rules::Misplacement(std::span(&lack, 1), *node).empty();
    text += Concat("  ! ", lack.field, ": ", lack.wanted, ", of ", lack.rule->Version(), ": only a new pod has it",
                   misplaced ? "; its node does not meet it" : "", "\n");
  }
  return text;
}

std::string RuleDifference(std::string_view object, const rules::Outcome& outcome) {
  const std::string text = PatchText(outcome.patch);
  return text.empty() ? "" : Concat(object, "\n", text);
}

}  // namespace huygens::rule_reports
