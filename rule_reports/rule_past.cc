#include "rule_reports/rule_past.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/text.h"
#include "base/time.h"
#include "kube/api_call.h"
#include "reports/table.h"
#include "rule_history/revision.h"
#include "rule_reports/rule_report.h"
#include "rules/rule.h"

namespace huygens::rule_reports {

namespace {

using rule_history::Revision;
using rule_history::RuleState;

struct Past {
  std::string json;  // of the rule
  RuleState now;
  std::vector<Revision> revisions;  // by number
};

StatusOr<Past> ReadPast(const ApiCall& api, const std::string& rule) {
  if (!kube::IsObjectName(rule)) return Invalid(Concat("\"", rule, "\" is no name of a rule"));
  Past past;
  HUYGENS_ASSIGN_OR_RETURN(past.json, GetObject(api, Concat(rules::kRulesPath, "/", rule)));
  HUYGENS_ASSIGN_OR_RETURN(past.now, rule_history::DecodeRuleState(past.json));
  HUYGENS_ASSIGN_OR_RETURN(const std::string list,
                           GetObject(api, Concat("/apis/apps/v1/controllerrevisions?labelSelector=",
                                                 net::PercentEncoded(rule_history::kRuleLabel))));
  HUYGENS_ASSIGN_OR_RETURN(past.revisions, rule_history::DecodeRevisions(list));
  std::erase_if(past.revisions,
                [&](const Revision& each) { return each.rule != past.now.name || each.rule_uid != past.now.uid; });
  return past;
}

}  // namespace

std::string SpecDifference(std::string_view before, std::string_view after) {
  const StatusOr<rules::Tree> was = rules::Tree::Parse(before), is = rules::Tree::Parse(after);
  return was.ok() && is.ok() ? PatchText(rules::JsonPatchBetween(*was, *is)) : "";
}

StatusOr<std::string> RuleHistory(const ApiCall& api, const std::string& rule, int64_t number) {
  HUYGENS_ASSIGN_OR_RETURN(const Past past, ReadPast(api, rule));
  if (number != 0) {
    HUYGENS_ASSIGN_OR_RETURN(const Revision found, rule_history::FindRevision(past.now, past.revisions, number));
    const std::string changes = SpecDifference(past.now.spec.Json(), found.spec.Json());
    return Concat(found.spec.Json(), "\n",
                  changes.empty() ? "It is what the rule says now.\n"
                                  : Concat("To go back to it would change of the rule:\n", changes));
  }
  reports::Table table({"REVISION", "GENERATION", "FIRST SAID", "CHANGE-CAUSE"});
  for (const Revision& each : past.revisions) {
    table.AddRow({Concat(std::to_string(each.number), each.spec == past.now.spec ? " (now)" : ""),
                  std::to_string(each.generation), each.created ? FormatRfc3339(*each.created) : "<unknown>",
                  each.cause.empty() ? "<none>" : each.cause});
  }
  if (table.size() == 0) {
    return Concat("schedulingrule/", rule,
                  ": no revisions; `huygens controller` keeps them where controller.rules.mode is not off\n");
  }
  return Concat("schedulingrule/", rule, "\n", table.Text());
}

StatusOr<std::string> TakeRuleBack(const ApiCall& api, const std::string& rule, int64_t number, bool dry_run) {
  HUYGENS_ASSIGN_OR_RETURN(const Past past, ReadPast(api, rule));
  HUYGENS_ASSIGN_OR_RETURN(const Revision found, rule_history::FindRevision(past.now, past.revisions, number));
  const std::string changes = SpecDifference(past.now.spec.Json(), found.spec.Json());
  const std::string revision = Concat("revision ", std::to_string(found.number));
  if (changes.empty()) return Concat("schedulingrule/", rule, " skipped: it says already what ", revision, " says\n");
  HUYGENS_ASSIGN_OR_RETURN(const std::string body, rule_history::RuleAsBefore(past.json, found));
  // The API server and the webhook judge a dry run, too.
  HUYGENS_ASSIGN_OR_RETURN(
      const net::HttpReply reply,
      api("PUT", Concat(rules::kRulesPath, "/", rule, dry_run ? "?dryRun=All" : ""), body, kJsonType));
  if (!kube::Succeeded(reply)) return Refused(kube::ExplainReply(reply));
  return Concat("schedulingrule/", rule, " taken back to ", revision, dry_run ? " (dry run)" : "", "\n", changes);
}

}  // namespace huygens::rule_reports
