// huygens rules: what scheduling rules make of objects, both from files. Asks no server.
#include <charconv>
#include <cstdio>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "absl/flags/declare.h"
#include "absl/flags/flag.h"
#include "cli/api_server.h"
#include "cli/command.h"
#include "cli/pod_argument.h"
#include "cli/rule_compilation.h"
#include "rule_reports/rule_files.h"
#include "rule_reports/rule_live.h"
#include "rule_reports/rule_past.h"
#include "rule_reports/rule_report.h"
#include "rules/inject.h"

ABSL_FLAG(std::string, at, "", "the moment to judge by, such as 2026-11-26T10:00:00Z; by default now");
ABSL_FLAG(std::string, write, "create", "how the objects are written: create, update or status");
ABSL_FLAG(std::string, revision, "", "which revision of a rule: its number");
ABSL_FLAG(bool, dry_run, false, "say what would be done, and store nothing");
ABSL_DECLARE_FLAG(std::string, f);
ABSL_DECLARE_FLAG(std::string, kubeconfig);

namespace huygens::cli {

namespace {

using rule_reports::ObjectFiles;
using rule_reports::RuleFiles;

constexpr std::string_view kRulesName = "rules";

struct HowWritten {
  rules::Operation operation = rules::Operation::kCreate;
  std::string_view subresource;
  Time now;
};

StatusOr<HowWritten> ReadHowWritten() {
  HowWritten how;
  const std::string write = absl::GetFlag(FLAGS_write), at = absl::GetFlag(FLAGS_at);
  if (write == "update" || write == "status") {
    how.operation = rules::Operation::kUpdate;
    if (write == "status") how.subresource = "status";
  } else if (write != "create") {
    return Invalid(Concat("--write is create, update or status, not \"", write, "\""));
  }
  if (at.empty()) {
    how.now = SystemClock().Now();
    return how;
  }
  const StatusOr<Time> time = ParseRfc3339(at);
  if (!time.ok()) return Annotate(time.status(), "--at");
  how.now = *time;
  return how;
}

using TakeOutcome = std::function<void(const std::string& name, const kube::ManifestObject&, const rules::Outcome&)>;

Status ForEachObject(const ObjectFiles& files, const rules::RuleSet& rules, const HowWritten& how,
                     const TakeOutcome& take) {
  for (const kube::ManifestObject& object : files.objects) {
    const std::string& version = object.meta.api_version;
    const size_t slash = version.find('/');
    const bool node = object.meta.kind == "Node";
    const std::string space = node ? "" : object.meta.namespace_name.empty() ? "default" : object.meta.namespace_name;
    const auto labels = files.namespaces.find(space);
    const rules::ObjectWrite write{
        .operation = how.operation,
        .group = slash == std::string::npos ? std::string_view() : std::string_view(version).substr(0, slash),
        .kind = object.meta.kind,
        .subresource = how.subresource,
        .namespace_name = space,
        .object = object.json,
        .old_object = {}};
    const StatusOr<rules::Outcome> outcome =
        rules::Inject(write, rules,
                      {.now = how.now,
                       .namespace_labels = labels == files.namespaces.end() ? nullptr : &labels->second,
                       .own_namespaces = {}});
    if (!outcome.ok()) return Annotate(outcome.status(), object.place);
    take(Concat(object.meta.kind, " ", space, node ? "" : "/", object.meta.name), object, *outcome);
  }
  return absl::OkStatus();
}

void PrintText(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); }

int CheckRules(const RuleFiles& files) {
  PrintText(Concat(std::to_string(files.rules.rules().size()), " rules, ", std::to_string(files.broken),
                   " of them cannot be used\n", files.faults));
  return files.broken == 0 ? kOk : kUsage;
}

Status ExplainObjects(const ObjectFiles& files, const rules::RuleSet& rules, const HowWritten& how) {
  return ForEachObject(files, rules, how,
                       [](const std::string& name, const kube::ManifestObject&, const rules::Outcome& outcome) {
                         PrintText(rule_reports::RuleExplanation(name, outcome));
                       });
}

Status DiffObjects(const ObjectFiles& files, const rules::RuleSet& rules, const HowWritten& how) {
  size_t changed = 0;
  HUYGENS_RETURN_IF_ERROR(ForEachObject(
      files, rules, how, [&](const std::string& name, const kube::ManifestObject&, const rules::Outcome& outcome) {
        const std::string text = rule_reports::RuleDifference(name, outcome);
        if (!text.empty()) ++changed;
        PrintText(text);
      }));
  PrintText(Concat(std::to_string(changed), " of ", std::to_string(files.objects.size()), " objects would change\n"));
  return absl::OkStatus();
}

Status ApplyRules(const ObjectFiles& files, const rules::RuleSet& rules, const HowWritten& how) {
  std::string items;
  HUYGENS_RETURN_IF_ERROR(ForEachObject(
      files, rules, how, [&](const std::string&, const kube::ManifestObject& object, const rules::Outcome& outcome) {
        items += items.empty() ? "" : ",\n";
        items += outcome.patch.empty() ? object.json : outcome.object.Json();
      }));
  PrintText(Concat(R"({"apiVersion":"v1","kind":"List","items":[)", "\n", items, "\n]}\n"));
  return absl::OkStatus();
}

int PrintAnswer(const StatusOr<std::string>& answer) {
  if (!answer.ok()) return Failed(kRulesName, Message(answer.status()));
  PrintText(*answer);
  return kOk;
}

// What asks an API server: of the rules and objects of a cluster.
int RunLive(std::string_view what, std::string_view name) {
  int64_t revision = 0;
  const std::string number = absl::GetFlag(FLAGS_revision);
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), revision);
  if (!number.empty() && (error != std::errc() || end != number.data() + number.size() || revision < 1)) {
    return UsageError(kRulesName, "--revision is a number that `huygens rules history RULE` shows");
  }
  const auto how = ReadHowWritten();
  if (!how.ok()) return UsageError(kRulesName, Message(how.status()));
  const auto api = OpenApiServer(absl::GetFlag(FLAGS_kubeconfig));
  if (!api.ok()) return UsageError(kRulesName, Message(api.status()));
  if (what == "history") return PrintAnswer(rule_reports::RuleHistory(*api, std::string(name), revision));
  if (what == "back")
    return PrintAnswer(rule_reports::TakeRuleBack(*api, std::string(name), revision, absl::GetFlag(FLAGS_dry_run)));
  if (what == "diff") {
    const StatusOr<RuleFiles> rules = rule_reports::ReadRuleFiles(absl::GetFlag(FLAGS_f));
    if (!rules.ok()) return UsageError(kRulesName, Message(rules.status()));
    if (!rules->faults.empty()) std::fputs(rules->faults.c_str(), stderr);
    return PrintAnswer(rule_reports::LiveDifference(*api, *rules, how->now));
  }
  const auto space = ReadPodArgument("x");  // --namespace
  if (!space.ok()) return UsageError(kRulesName, Message(space.status()));
  const StatusOr<rule_reports::ObjectName> object = rule_reports::ReadObjectName(name, space->space);
  if (!object.ok()) return UsageError(kRulesName, Message(object.status()));
  return PrintAnswer(rule_reports::LiveExplanation(*api, *object, how->now));
}

bool IsLive(std::span<const std::string_view> arguments) {
  const std::string_view what = arguments.empty() ? "" : arguments[0];
  if (what == "diff") return arguments.size() == 1 && !absl::GetFlag(FLAGS_f).empty();
  return arguments.size() == 2 && (what == "explain" || what == "history" || what == "back");
}

int RunRules(std::span<const std::string_view> arguments) {
  const std::string_view what = arguments.empty() ? "" : arguments[0];
  if (IsLive(arguments)) return RunLive(what, arguments.size() == 2 ? arguments[1] : "");
  if (what == "history" || what == "back") return UsageError(kRulesName, Concat(what, " takes RULE; see --help"));
  const bool alone = what == "check" || what == "compile";
  if (!alone && what != "explain" && what != "diff" && what != "apply") {
    return UsageError(kRulesName, "it takes check, compile, explain, diff, apply, history or back; see --help");
  }
  if (arguments.size() != (alone ? 2U : 3U)) {
    return UsageError(kRulesName, Concat(what, alone ? " takes RULES" : " takes RULES and OBJECTS", "; see --help"));
  }
  const StatusOr<RuleFiles> rules = rule_reports::ReadRuleFiles(std::string(arguments[1]));
  if (!rules.ok()) return UsageError(kRulesName, Message(rules.status()));
  if (what == "check") return CheckRules(*rules);
  if (what == "compile") return PrintCompiledRules(*rules);
  const StatusOr<HowWritten> how = ReadHowWritten();
  if (!how.ok()) return UsageError(kRulesName, Message(how.status()));
  const StatusOr<ObjectFiles> objects = rule_reports::ReadObjectFiles(std::string(arguments[2]));
  if (!objects.ok()) return UsageError(kRulesName, Message(objects.status()));
  if (!rules->faults.empty()) std::fputs(rules->faults.c_str(), stderr);
  const auto run = what == "explain" ? ExplainObjects : what == "diff" ? DiffObjects : ApplyRules;
  const Status status = run(*objects, rules->rules, *how);
  return status.ok() ? kOk : UsageError(kRulesName, Message(status));
}

constexpr std::string_view kRulesFlags[] = {"at", "write",     "own_namespace", "f",      "kubeconfig",
                                            "n",  "namespace", "revision",      "dry_run"};

}  // namespace

const Command kRulesCommand = {
    "rules", "what scheduling rules make of objects, and what they said before",
    "Usage: huygens rules check RULES\n"
    "       huygens rules compile RULES [--own-namespace NAMESPACE]\n"
    "       huygens rules explain|diff|apply RULES OBJECTS [--write create|update|status] [--at TIME]\n"
    "       huygens rules diff -f RULES [--kubeconfig FILE]\n"
    "       huygens rules explain [KIND/]NAME [-n NAMESPACE] [--kubeconfig FILE]\n"
    "       huygens rules history RULE [--revision NUMBER] [--kubeconfig FILE]\n"
    "       huygens rules back RULE [--revision NUMBER] [--dry-run] [--kubeconfig FILE]\n\n"
    "Of files, a file or a directory of YAML or JSON each, asking no server and changing nothing. RULES and OBJECTS "
    "may\n"
    "be the same directory. Labels of namespaces are those of the Namespaces among OBJECTS.\n\n"
    "  check    says which rules cannot be used, and which field is wrong\n"
    "  compile  the MutatingAdmissionPolicies of rules that are marked always, as one List of JSON: the API server\n"
    "           applies them while no huygens answers. `huygens controller` keeps them by itself. What cannot be said\n"
    "           so is named with the reason\n"
    "  explain  which rule gave which field of each object, what lost to what, and why the other rules are not for it\n"
    "  diff     what would change of how the objects are\n"
    "  apply    the objects as they would be stored, as one List of JSON\n\n"
    "  --write  how the objects are written: by default they are created; status is for Nodes, as kubelet writes them\n"
    "  --own-namespace  where huygens runs, which no rule is for, where that is not kube-system\n"
    "  --at     the moment by which windows of time are judged\n\n"
    "Of a cluster, whose API server is found as kubectl finds it (--kubeconfig, $KUBECONFIG, ~/.kube/config, or the\n"
    "account of the pod):\n\n"
    "  diff -f  what of its pods and nodes would change in place if the rules were applied, and which pods would have\n"
    "           to be made anew\n"
    "  explain  the same as above of an object that is there, and what it lacks. NAME alone is a pod\n"
    "  history  what a rule said before; with --revision what it said then\n"
    "  back     takes the rule back to what it said before its last change, or to a revision\n\n"
    "  huygens rules diff -f rules/\n"
    "  huygens rules explain deploy/cart -n shop\n"
    "  huygens rules back payments-pods --dry-run\n\n"
    "Exit codes: 0 done, 1 (compile) a rule marked always cannot be compiled, or a server that refuses, 2 wrong "
    "usage,\n"
    "or a file or (check) a rule that cannot be used.\n",
    kRulesFlags, RunRules};

}  // namespace huygens::cli
