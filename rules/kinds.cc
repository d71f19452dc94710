#include "rules/kinds.h"

#include <algorithm>

namespace huygens::rules {

namespace {

constexpr std::string_view kCore[] = {""};
constexpr std::string_view kApps[] = {"apps"};
constexpr std::string_view kAppsAndKruise[] = {"apps", "apps.kruise.io"};
constexpr std::string_view kKruise[] = {"apps.kruise.io"};
constexpr std::string_view kBatch[] = {"batch"};
constexpr std::string_view kArgo[] = {"argoproj.io"};
constexpr std::string_view kTemplate[] = {"spec", "template"};
constexpr std::string_view kJobTemplate[] = {"spec", "jobTemplate", "spec", "template"};

constexpr KnownKind kKinds[] = {
    {.kind = "Pod", .shape = Shape::kPod, .groups = kCore},
    {.kind = "Node", .shape = Shape::kNode, .groups = kCore},
    {.kind = "Deployment", .shape = Shape::kController, .groups = kApps, .template_path = kTemplate},
    {.kind = "StatefulSet", .shape = Shape::kController, .groups = kAppsAndKruise, .template_path = kTemplate},
    {.kind = "DaemonSet", .shape = Shape::kController, .groups = kAppsAndKruise, .template_path = kTemplate},
    {.kind = "ReplicaSet", .shape = Shape::kController, .groups = kApps, .template_path = kTemplate},
    {.kind = "CloneSet", .shape = Shape::kController, .groups = kKruise, .template_path = kTemplate},
    {.kind = "Rollout", .shape = Shape::kController, .groups = kArgo, .template_path = kTemplate},
    {.kind = "Job",
     .shape = Shape::kController,
     .groups = kBatch,
     .template_path = kTemplate,
     .template_changes = false},
    {.kind = "CronJob", .shape = Shape::kController, .groups = kBatch, .template_path = kJobTemplate},
};

}  // namespace

const KnownKind* FindKind(std::string_view group, std::string_view kind) {
  for (const KnownKind& each : kKinds) {
    const bool here = group == "*" || std::ranges::find(each.groups, group) != each.groups.end();
    if (each.kind == kind && here) return &each;
  }
  return nullptr;
}

std::vector<std::string_view> KindNames() {
  std::vector<std::string_view> names;
  for (const KnownKind& each : kKinds) names.push_back(each.kind);
  return names;
}

}  // namespace huygens::rules
