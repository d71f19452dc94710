#include "cli/rule_report.h"

#include "base/text.h"
#include "reports/table.h"

namespace huygens::cli {

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

std::string RuleDifference(std::string_view object, const rules::Outcome& outcome) {
  const StatusOr<rules::Tree> patch = rules::Tree::Parse(outcome.patch);
  if (outcome.patch.empty() || !patch.ok()) return "";
  std::string text = Concat(object, "\n");
  for (const rules::Tree& operation : patch->elements()) text += OperationText(operation);
  return text;
}

}  // namespace huygens::cli
