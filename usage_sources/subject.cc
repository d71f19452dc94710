#include "usage_sources/subject.h"

#include <string_view>

#include "base/text.h"
#include "usage/workload.h"
#include "usage_sources/placed_pods.h"

namespace huygens::usage_sources {
namespace {

std::string_view Label(const PrometheusLabels& labels, std::string_view name) {
  for (const auto& [key, value] : labels) {
    if (key == name) return value;
  }
  return {};
}

}  // namespace

std::string SubjectOf(SubjectKind kind, const PrometheusLabels& labels, const PlacedPods& known) {
  if (kind == SubjectKind::kNode) return std::string(Label(labels, "node"));
  const std::string_view space = Label(labels, "namespace");
  const std::string_view pod = Label(labels, "pod");
  const std::string_view node = Label(labels, "node");
  const std::string_view owner_kind = Label(labels, "owner_kind");
  if (space.empty()) return {};
  if (!owner_kind.empty()) {
    std::string workload = usage::WorkloadOf(space, pod, owner_kind, Label(labels, "owner_name"), node);
    return workload.ends_with('/') ? std::string() : workload;
  }
  if (pod.empty()) return {};
  const PodPointer placed = known.Find(Concat(space, "/", pod));
  return placed != nullptr ? usage::WorkloadOf(*placed) : usage::GuessWorkload(space, pod, node);
}

}  // namespace huygens::usage_sources
