#include "overcommit/admitted_pod.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "json/reader.h"
#include "wire/pod.h"
#include "wire/pod_annotations.h"
#include "workloads/reference.h"

namespace huygens::overcommit {
namespace {

// What a ReplicaSet's pods are labelled with, and what has made such a ReplicaSet.
struct HashLabel {
  std::string_view label, group, kind;
};
constexpr HashLabel kHashLabels[] = {{"pod-template-hash", "apps", "Deployment"},
                                     {"rollouts-pod-template-hash", "argoproj.io", "Rollout"}};

Status ReadAnnotations(JsonReader& in, AdmittedPod& out) {
  out.has_annotations = in.Next() == JsonType::kObject;
  return in.Members([&](const JsonKey& key) -> Status {
    if (key.text == kRecordAnnotation) return in.Read(out.record_text);
    if (key.text != kOptOutAnnotation) return absl::OkStatus();
    std::string text;
    HUYGENS_RETURN_IF_ERROR(in.Read(text));
    out.opted_out = wire::ParseBoolWord(text) == false;
    return absl::OkStatus();
  });
}

Status ReadOwners(JsonReader& in, AdmittedPod& out) {
  return in.Elements([&](size_t) -> Status {
    PodOwner owner;
    std::string version;
    bool controller = false;
    HUYGENS_RETURN_IF_ERROR(in.Fields("apiVersion", version, "kind", owner.kind, "name", owner.name, "uid", owner.uid,
                                      "controller", controller));
    owner.group = workloads::GroupOfVersion(version);
    if (controller) out.owner = std::move(owner);
    return absl::OkStatus();
  });
}

Status ReadMetadata(JsonReader& in, AdmittedPod& out) {
  return in.Fields(
      "labels", [&] { return wire::ReadTextMap(in, out.labels); }, "annotations",
      [&] { return ReadAnnotations(in, out); }, "ownerReferences", [&] { return ReadOwners(in, out); });
}

void FillIn(cluster::Container& container, std::vector<std::string>& without_requests) {
  if (container.requests.empty()) without_requests.emplace_back(container.name);
  for (const auto& [resource, amount] : container.limits) {
    if (!container.requests.Has(resource)) container.requests.Set(resource, amount);
  }
}

// A CronJob names its Jobs by the minute that they are for, since 1970: all of its runs are one workload.
PodOwner CronJobOf(const PodOwner& job) {
  constexpr size_t kFewestDigits = 8;
  const size_t dash = job.name.rfind('-');
  if (dash == std::string::npos || dash == 0 || job.name.size() - dash - 1 < kFewestDigits) return job;
  if (job.name.find_first_not_of("0123456789", dash + 1) != std::string::npos) return job;
  return {job.group, "CronJob", job.name.substr(0, dash), ""};
}

}  // namespace

StatusOr<AdmittedPod> DecodeAdmittedPod(std::string_view json, const ResourceNames& names) {
  HUYGENS_ASSIGN_OR_RETURN(cluster::Pod pod, wire::DecodePod(json, names));
  HUYGENS_ASSIGN_OR_RETURN(AdmittedPod result, DecodeObject<AdmittedPod>(json, [](JsonReader& in, AdmittedPod& out) {
                             return in.Fields("metadata", [&] { return ReadMetadata(in, out); });
                           }));
  result.pod = std::move(pod);
  for (std::vector<cluster::Container>* each : {&result.pod.containers, &result.pod.init_containers}) {
    for (cluster::Container& container : *each) FillIn(container, result.without_requests);
  }
  if (result.record_text.empty()) return result;
  StatusOr<Record> record = ParseRecord(result.record_text);
  if (record.ok()) {
    result.record = *std::move(record);
  } else {
    result.record_fault = Message(record.status());
  }
  return result;
}

const std::string* LabelOf(const AdmittedPod& pod, std::string_view key) {
  const auto at = std::ranges::find(pod.labels, key, [](const auto& each) { return std::string_view(each.first); });
  return at == pod.labels.end() ? nullptr : &at->second;
}

std::optional<PodOwner> WorkloadOf(const AdmittedPod& pod) {
  if (pod.owner && pod.owner->group == "batch" && pod.owner->kind == "Job") return CronJobOf(*pod.owner);
  if (!pod.owner || pod.owner->group != "apps" || pod.owner->kind != "ReplicaSet") return pod.owner;
  for (const HashLabel& each : kHashLabels) {
    const std::string* hash = LabelOf(pod, each.label);
    if (hash == nullptr || hash->empty()) continue;
    const std::string suffix = Concat("-", *hash);
    const std::string_view name = pod.owner->name;
    if (name.size() <= suffix.size() || !name.ends_with(suffix)) continue;
    return PodOwner{std::string(each.group), std::string(each.kind),
                    std::string(name.substr(0, name.size() - suffix.size())), ""};
  }
  return pod.owner;
}

}  // namespace huygens::overcommit
