#include "rule_objects/manifest_rules.h"

#include <set>
#include <utility>

#include "kube/manifest_files.h"
#include "rule_objects/name_and_labels.h"

namespace huygens::rule_objects {

Status ManifestRules::Load(const std::string& directory) {
  std::vector<rules::SchedulingRule> all;
  std::set<std::string> names;
  HUYGENS_RETURN_IF_ERROR(kube::ForEachManifest(directory, [&](const kube::ManifestObject& object) -> Status {
    const std::string &version = object.meta.api_version, &kind = object.meta.kind;
    if (version == rules::kApiVersion && kind == rules::kRuleKind) {
      StatusOr<rules::SchedulingRule> rule = rules::DecodeRule(object.json);
      if (!rule.ok()) return Annotate(rule.status(), object.place);
      if (!names.insert(rule->name).second) {
        return Invalid(Concat(object.place, ": a second SchedulingRule ", rule->name));
      }
      all.push_back(*std::move(rule));
    } else if (version == "v1" && kind == "Namespace") {
      StatusOr<NameAndLabels> read = DecodeNameAndLabels(object.json);
      if (!read.ok()) return Annotate(read.status(), object.place);
      // As the API server sets it.
      read->labels.emplace_back("kubernetes.io/metadata.name", read->name);
      namespaces_[read->name] = std::move(read->labels);
    } else if (version == "scheduling.k8s.io/v1" && kind == "PriorityClass") {
      classes_.insert(object.meta.name);
    }
    return absl::OkStatus();
  }));
  rules_ = std::make_shared<const rules::RuleSet>(WithoutMissingClasses(
      rules::RuleSet(std::move(all)), [this](std::string_view name) { return HasPriorityClass(name); }));
  return absl::OkStatus();
}

const Labels* ManifestRules::NamespaceLabels(std::string_view name) const {
  const auto found = namespaces_.find(name);
  return found == namespaces_.end() ? nullptr : &found->second;
}

bool ManifestRules::HasPriorityClass(std::string_view name) const { return classes_.contains(name); }

}  // namespace huygens::rule_objects
