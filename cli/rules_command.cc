// huygens rules: what scheduling rules make of objects, both from files. Asks no server.
#include <cstdio>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "cli/command.h"
#include "cli/rule_report.h"
#include "kube/manifest_files.h"
#include "rules/inject.h"

ABSL_FLAG(std::string, at, "", "the moment to judge by, such as 2026-11-26T10:00:00Z; by default now");
ABSL_FLAG(std::string, write, "create", "how the objects are written: create, update or status");

namespace huygens::cli {

namespace {

constexpr std::string_view kRulesName = "rules";

struct RuleFiles {
  rules::RuleSet rules;
  size_t broken = 0;
  std::string faults;  // a line each
};

StatusOr<RuleFiles> ReadRuleFiles(const std::string& path) {
  RuleFiles files;
  std::vector<rules::SchedulingRule> all;
  std::map<std::string, std::string> places;
  HUYGENS_RETURN_IF_ERROR(kube::ForEachManifest(path, [&](const kube::ManifestObject& object) -> Status {
    if (object.meta.kind != rules::kRuleKind) return absl::OkStatus();
    StatusOr<rules::SchedulingRule> rule = rules::DecodeRule(object.json);
    if (!rule.ok()) return Annotate(rule.status(), object.place);
    if (!rule->defect.empty()) {
      ++files.broken;
      files.faults += Concat(object.place, ": ", rule->name, ": ", rule->defect, "\n");
    }
    const auto [at, added] = places.emplace(rule->name, object.place);
    if (!added) return Invalid(Concat(object.place, ": there is a rule ", rule->name, " at ", at->second, " already"));
    all.push_back(*std::move(rule));
    return absl::OkStatus();
  }));
  if (all.empty()) return NotFound(Concat(path, ": there is no SchedulingRule in it"));
  files.rules = rules::RuleSet(std::move(all));
  return files;
}

struct ObjectFiles {
  std::vector<kube::ManifestObject> objects;
  std::map<std::string, Labels> namespaces;
};

void TakeNamespace(const kube::ManifestObject& object, ObjectFiles& files) {
  Labels& labels = files.namespaces[object.meta.name];
  labels.emplace_back("kubernetes.io/metadata.name", object.meta.name);
  const StatusOr<rules::Tree> tree = rules::Tree::Parse(object.json);
  constexpr std::string_view kPath[] = {"metadata", "labels"};
  const rules::Tree* written = tree.ok() ? rules::FindAt(*tree, kPath) : nullptr;
  if (written == nullptr) return;
  for (const auto& [key, value] : written->members()) labels.emplace_back(key, std::string(value.text()));
}

StatusOr<ObjectFiles> ReadObjectFiles(const std::string& path) {
  ObjectFiles files;
  HUYGENS_RETURN_IF_ERROR(kube::ForEachManifest(path, [&](kube::ManifestObject object) {
    if (object.meta.kind == "Namespace") {
      TakeNamespace(object, files);
    } else if (object.meta.kind != rules::kRuleKind) {
      files.objects.push_back(std::move(object));
    }
    return absl::OkStatus();
  }));
  if (files.objects.empty()) return NotFound(Concat(path, ": there is no object in it that rules could be for"));
  return files;
}

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
                         PrintText(RuleExplanation(name, outcome));
                       });
}

Status DiffObjects(const ObjectFiles& files, const rules::RuleSet& rules, const HowWritten& how) {
  size_t changed = 0;
  HUYGENS_RETURN_IF_ERROR(ForEachObject(
      files, rules, how, [&](const std::string& name, const kube::ManifestObject&, const rules::Outcome& outcome) {
        const std::string text = RuleDifference(name, outcome);
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

int RunRules(std::span<const std::string_view> arguments) {
  const std::string_view what = arguments.empty() ? "" : arguments[0];
  const bool check = what == "check";
  if (!check && what != "explain" && what != "diff" && what != "apply") {
    return UsageError(kRulesName, "it takes check, explain, diff or apply; see --help");
  }
  if (arguments.size() != (check ? 2U : 3U)) {
    return UsageError(kRulesName, Concat(what, check ? " takes RULES" : " takes RULES and OBJECTS", "; see --help"));
  }
  const StatusOr<RuleFiles> rules = ReadRuleFiles(std::string(arguments[1]));
  if (!rules.ok()) return UsageError(kRulesName, Message(rules.status()));
  if (check) return CheckRules(*rules);
  const StatusOr<HowWritten> how = ReadHowWritten();
  if (!how.ok()) return UsageError(kRulesName, Message(how.status()));
  const StatusOr<ObjectFiles> objects = ReadObjectFiles(std::string(arguments[2]));
  if (!objects.ok()) return UsageError(kRulesName, Message(objects.status()));
  if (!rules->faults.empty()) std::fputs(rules->faults.c_str(), stderr);
  const auto run = what == "explain" ? ExplainObjects : what == "diff" ? DiffObjects : ApplyRules;
  const Status status = run(*objects, rules->rules, *how);
  return status.ok() ? kOk : UsageError(kRulesName, Message(status));
}

constexpr std::string_view kRulesFlags[] = {"at", "write"};

}  // namespace

const Command kRulesCommand = {
    "rules", "what scheduling rules make of objects, from files",
    "Usage: huygens rules check RULES\n"
    "       huygens rules explain|diff|apply RULES OBJECTS [--write create|update|status] [--at TIME]\n\n"
    "Applies SchedulingRules to objects, both from a file or a directory of YAML or JSON. It asks no server and "
    "changes "
    "nothing.\n"
    "RULES and OBJECTS may be the same directory. Labels of namespaces are those of the Namespaces among OBJECTS.\n\n"
    "  check    says which rules cannot be used, and which field is wrong\n"
    "  explain  which rule gave which field of each object, what lost to what, and why the other rules are not for it\n"
    "  diff     what would change of how the objects are\n"
    "  apply    the objects as they would be stored, as one List of JSON\n\n"
    "  --write  how the objects are written: by default they are created; status is for Nodes, as kubelet writes them\n"
    "  --at     the moment by which windows of time are judged\n\n"
    "  kubectl get pods -A -o yaml > pods.yaml && huygens rules diff rules/ pods.yaml --write update\n\n"
    "Exit codes: 0 done, 2 wrong usage, or a file or (check) a rule that cannot be used.\n",
    kRulesFlags, RunRules};

}  // namespace huygens::cli
