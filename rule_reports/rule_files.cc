#include "rule_reports/rule_files.h"

#include <utility>

#include "base/text.h"
#include "rules/object_write.h"

namespace huygens::rule_reports {

namespace {

void TakeNamespace(const kube::ManifestObject& object, ObjectFiles& files) {
  Labels& labels = files.namespaces[object.meta.name];
  labels.emplace_back("kubernetes.io/metadata.name", object.meta.name);
  const StatusOr<rules::Tree> tree = rules::Tree::Parse(object.json);
  constexpr std::string_view kPath[] = {"metadata", "labels"};
  const rules::Tree* written = tree.ok() ? rules::FindAt(*tree, kPath) : nullptr;
  if (written == nullptr) return;
  for (const auto& [key, value] : written->members()) labels.emplace_back(key, std::string(value.text()));
}

}  // namespace

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

}  // namespace huygens::rule_reports
