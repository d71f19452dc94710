#include "webhook/rule_mutation.h"

#include <algorithm>
#include <map>
#include <memory>

#include "base/text.h"
#include "observe/rule_metrics.h"
#include "rules/kinds.h"

namespace huygens::webhook {
namespace {

using rules::Verdict;

rules::Operation OperationOf(Operation operation) {
  if (operation == Operation::kCreate) return rules::Operation::kCreate;
  return operation == Operation::kUpdate ? rules::Operation::kUpdate : rules::Operation::kOther;
}

std::string_view KindOf(const AdmissionRequest& request) {
  const rules::KnownKind* kind = rules::FindKind(request.kind_group, request.kind);
  if (kind == nullptr || kind->shape == rules::Shape::kController) return "Controller";
  if (kind->shape == rules::Shape::kPod) return "Pod";
  return request.subresource.empty() ? "Node" : "NodeStatus";
}

std::string_view NameOf(Verdict verdict) {
  switch (verdict) {
    case Verdict::kApplied:
      return "applied";
    case Verdict::kWouldApply:
      return "would_apply";
    case Verdict::kOnlyConflicts:
      return "only_conflicts";
    case Verdict::kNothingHere:
      return "nothing_here";
    default:
      return "";  // it is not for the object
  }
}

bool Ignores(const Labels* labels) {
  return labels != nullptr &&
         std::ranges::find(*labels, std::pair(std::string(kRulesLabel), std::string(kIgnoreValue))) != labels->end();
}

void Append(std::string& list, std::string_view text) { list += Concat(list.empty() ? "" : ",", text); }

}  // namespace

RuleMutation::Answer RuleMutation::AsWritten(const AdmissionRequest& request, std::string_view why) {
  if (const auto left_out = warnings_.Allow(environment_.clock.Now())) {
    environment_.log.Warn("an object is stored as it is written, without rules", {{"kind", request.kind},
                                                                                  {"namespace", request.namespace_name},
                                                                                  {"name", request.name},
                                                                                  {"why", why},
                                                                                  {"leftOut", *left_out}});
  }
  Answer answer;
  answer.audit_annotations.emplace_back("rules", Concat("as written: ", why));
  return answer;
}

RuleMutation::Answer RuleMutation::Judge(const AdmissionRequest& request) {
  if (off() || request.object.empty() || rules::FindKind(request.kind_group, request.kind) == nullptr) return {};
  observe::RuleMetrics& metrics = environment_.metrics.rules();
  const std::string_view kind = KindOf(request);
  if (const std::string missing = known_.NotReady(); !missing.empty()) {
    metrics.Written(kind, "not_ready");
    return AsWritten(request, missing);
  }
  const Labels* labels = request.namespace_name.empty() ? nullptr : known_.NamespaceLabels(request.namespace_name);
  if (Ignores(labels)) {
    metrics.Written(kind, "none");
    return {};
  }
  const std::shared_ptr<const rules::RuleSet> rules = known_.rules();  // the outcome points into it
  StatusOr<rules::Outcome> outcome = rules::Inject({.operation = OperationOf(request.operation),
                                                    .group = request.kind_group,
                                                    .kind = request.kind,
                                                    .subresource = request.subresource,
                                                    .namespace_name = request.namespace_name,
                                                    .object = request.object,
                                                    .old_object = request.old_object},
                                                   *rules,
                                                   {.now = environment_.clock.Now(),
                                                    .namespace_labels = labels,
                                                    .own_namespaces = configuration_.excluded_namespaces},
                                                   rules::Verdicts::kCandidates);
  if (!outcome.ok()) {
    metrics.Written(kind, "unreadable");
    return AsWritten(request, Message(outcome.status()));
  }
  Answer answer;
  Note(request, *outcome, answer);
  const bool report = configuration_.mode == settings::SchedulingRulesMode::kReport;
  const bool changes = !outcome->patch.empty();
  metrics.Written(kind,
                  changes && !report                          ? "changed"
                  : changes || !outcome->would_change.empty() ? "would_change"
                  : std::ranges::any_of(outcome->rules, [](const auto& each) { return !NameOf(each.verdict).empty(); })
                      ? "as_it_is"
                      : "none");
  if (changes && !report) {
    answer.patch = std::move(outcome->patch);
    answer.object = std::move(outcome->object);
  }
  return answer;
}

void RuleMutation::CountRules() {
  const std::shared_ptr<const rules::RuleSet> rules = known_.rules();
  std::vector<std::string_view> usable;
  usable.reserve(rules->rules().size());
  for (const rules::SchedulingRule& rule : rules->rules()) {
    if (rule.defect.empty()) usable.push_back(rule.name);
  }
  environment_.metrics.rules().SetRules(usable, rules->rules().size() - usable.size());
}

void RuleMutation::Note(const AdmissionRequest& request, const rules::Outcome& outcome, Answer& answer) {
  std::map<const rules::SchedulingRule*, size_t> conflicts;
  for (const auto* list : {&outcome.conflicts, &outcome.would_conflict}) {
    for (const rules::FieldConflict& each : *list) ++conflicts[each.rule];
  }
  const bool report = configuration_.mode == settings::SchedulingRulesMode::kReport;
  std::string applied, would;
  for (const auto& [rule, judged] : outcome.rules) {
    const Verdict verdict = report && judged == Verdict::kApplied ? Verdict::kWouldApply : judged;
    const std::string_view name = NameOf(verdict);
    if (name.empty()) continue;
    const auto lost = conflicts.find(rule);
    environment_.metrics.rules().Judged(rule->name, name, lost == conflicts.end() ? 0 : lost->second);
    if (verdict == Verdict::kApplied) Append(applied, rule->Version());
    if (verdict == Verdict::kWouldApply) Append(would, rule->Version());
  }
  if (!applied.empty()) answer.audit_annotations.emplace_back("rules", applied);
  if (!would.empty()) answer.audit_annotations.emplace_back("rules-report", would);
  const bool said = !applied.empty() || !would.empty() || !conflicts.empty();
  if (said && environment_.log.Enabled(observe::LogLevel::kDebug)) LogDecision(request, outcome, applied, would);
}

void RuleMutation::LogDecision(const AdmissionRequest& request, const rules::Outcome& outcome, std::string_view applied,
                               std::string_view would_apply) const {
  std::string changes, lost;
  for (const auto* list : {&outcome.changes, &outcome.would_change}) {
    for (const rules::FieldChange& each : *list) Append(changes, each.field);
  }
  for (const auto* list : {&outcome.conflicts, &outcome.would_conflict}) {
    for (const rules::FieldConflict& each : *list) {
      Append(lost, Concat(each.rule->name, " ", each.field, " to ",
                          each.with == nullptr ? "the object's own" : std::string_view(each.with->name)));
    }
  }
  environment_.log.Debug("rules for an object",
                         {{"kind", request.kind},
                          {"namespace", request.namespace_name},
                          {"name", request.name},
                          {"operation", request.operation == Operation::kCreate ? "create" : "update"},
                          {"applied", applied},
                          {"wouldApply", would_apply},
                          {"fields", changes},
                          {"lost", lost}});
}

}  // namespace huygens::webhook
