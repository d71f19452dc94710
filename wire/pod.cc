#include "wire/pod.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "cluster/unknown_resources.h"
#include "json/reader.h"
#include "wire/binding.h"
#include "wire/pod_annotations.h"
#include "wire/pod_claims.h"
#include "wire/pod_status.h"
#include "wire/resources.h"

namespace huygens::wire {
namespace {

using cluster::Container;
using cluster::Pod;

constexpr std::string_view kCpuPolicyAnnotation = "topology.crane.io/cpu-policy";
constexpr std::string_view kAwarenessAnnotation = "topology.crane.io/topology-awareness";
constexpr std::string_view kSmtAnnotation = "huygens.dev/smt";
constexpr std::string_view kObservedAnnotation = "huygens.dev/placement-observed";
constexpr std::string_view kKubeletAnnotation =
    "huygens.dev/kubelet-placement";  // by huygens' agent; the other goes before

// Kept until the spec has been read: then the resources they name are known.
struct MarkTexts {
  std::string result;
  std::string placement;
  std::string observed;
};

using Keys = std::vector<std::string>;

bool IsAskedFor(const Keys& keys, std::string_view key) {
  return !keys.empty() && std::ranges::find(keys, key) != keys.end();
}

cluster::PodTexts& TextsOf(Pod& pod) { return pod.texts ? *pod.texts : pod.texts.emplace(); }

Status ReadAnnotations(JsonReader& in, const Keys& asked_for, Pod& pod, MarkTexts& marks) {
  if (in.Next() == JsonType::kNull) {
    pod.cpu_policy = cluster::CpuPolicy::kUnset;
    pod.smt = cluster::Smt::kUnset;
    pod.topology_awareness.reset();
    marks = MarkTexts();
    if (pod.texts) pod.texts->annotations.clear();
  }
  return in.Members([&](const JsonKey& key) -> Status {
    bool policy = key.text == kCpuPolicyAnnotation, awareness = key.text == kAwarenessAnnotation;
    bool result = key.text == kTopologyResultAnnotation, placement = key.text == kPlacementAnnotation;
    bool smt = key.text == kSmtAnnotation, observed = key.text == kObservedAnnotation;
    observed = observed || (key.text == kKubeletAnnotation && marks.observed.empty());
    const bool kept = IsAskedFor(asked_for, key.text);
    if (!policy && !awareness && !result && !placement && !smt && !observed && !kept) return absl::OkStatus();
    std::string text;
    HUYGENS_RETURN_IF_ERROR(in.Read(text));
    if (kept) TextsOf(pod).annotations.emplace_back(key.text, text);
    if (policy) pod.cpu_policy = ParseCpuPolicy(text);
    if (smt) pod.smt = ParseSmt(text);
    if (awareness) pod.topology_awareness = ParseBoolWord(text);
    if (result || placement || observed) {
      (result ? marks.result : placement ? marks.placement : marks.observed) = std::move(text);
    }
    return absl::OkStatus();
  });
}

Status ReadLabels(JsonReader& in, const Keys& asked_for, Pod& pod) {
  pod.quota.reset();
  pod.template_hash.clear();
  if (pod.texts) pod.texts->labels.clear();
  if (in.SkipNull()) return absl::OkStatus();
  cluster::QuotaLabels labels;
  HUYGENS_RETURN_IF_ERROR(in.Members([&](const JsonKey& key) -> Status {
    const bool of_quota = key.text.starts_with(cluster::kQuotaGroupLabel), kept = IsAskedFor(asked_for, key.text);
    const bool of_template = key.text == "pod-template-hash";
    const bool revision = key.text == "controller-revision-hash" && pod.template_hash.empty();
    if (!of_quota && !kept && !of_template && !revision) return absl::OkStatus();
    std::string value;
    HUYGENS_RETURN_IF_ERROR(in.Read(value));
    if (of_template || revision) pod.template_hash = value;
    if (of_quota) TakeQuotaLabel(key.text, value, labels);
    if (kept) TextsOf(pod).labels.emplace_back(key.text, std::move(value));
    return absl::OkStatus();
  }));
  if (labels != cluster::QuotaLabels()) pod.quota = std::make_shared<const cluster::QuotaLabels>(std::move(labels));
  return absl::OkStatus();
}

// The owner that is marked as the controller; one that is not says nothing of who made the pod.
Status ReadOwners(JsonReader& in, Pod& pod) {
  pod.owned_by_daemon_set = false;
  pod.owner_kind.clear();
  pod.owner_name.clear();
  pod.owner_uid.clear();
  return in.Elements([&](size_t) -> Status {
    std::string api_version, kind, name, uid;
    bool controller = false;
    HUYGENS_RETURN_IF_ERROR(
        in.Fields("apiVersion", api_version, "kind", kind, "name", name, "uid", uid, "controller", controller));
    if (controller && pod.owner_kind.empty()) {
      pod.owned_by_daemon_set = kind == "DaemonSet" && api_version.starts_with("apps/");
      pod.owner_kind = kind;
      pod.owner_name = name;
      pod.owner_uid = uid;
    }
    return absl::OkStatus();
  });
}

Status ReadMetadata(JsonReader& in, const ResourceNames::PodKeys& asked_for, Pod& pod, MarkTexts& marks) {
  return in.Members([&](const JsonKey& key) {
    if (key.Is("name")) return in.Read(pod.name);
    if (key.Is("namespace")) return in.Read(pod.namespace_name);
    if (key.Is("uid")) return in.Read(pod.uid);
    if (key.Is("annotations")) return ReadAnnotations(in, asked_for.annotations, pod, marks);
    if (key.Is("labels")) return ReadLabels(in, asked_for.labels, pod);
    if (key.Is("ownerReferences")) return ReadOwners(in, pod);
    if (key.Is("creationTimestamp")) return ReadTime(in, pod.created);
    if (key.Is("deletionTimestamp")) pod.deleting = in.Next() != JsonType::kNull;
    return absl::OkStatus();
  });
}

Status ReadContainers(JsonReader& in, PodResourceNames& names, std::vector<Container>& containers) {
  return ReadList(in, containers, [&](Container& container) {
    std::string policy;
    const auto resources = [&] { return ReadRequirements(in, names, container.requests, container.limits); };
    Status status = in.Fields("name", container.name, "resources", resources, "restartPolicy", policy);
    container.restartable = policy == "Always";
    return status;
  });
}

Status ReadPreemptionPolicy(JsonReader& in, bool& preempts) {
  std::string policy;
  HUYGENS_RETURN_IF_ERROR(in.Read(policy));
  preempts = policy != "Never";
  return absl::OkStatus();
}

Status ReadNodeSelector(JsonReader& in, Pod& pod) {
  pod.waiting.reset();
  if (in.SkipNull()) return absl::OkStatus();
  cluster::WaitingNotes notes;
  HUYGENS_RETURN_IF_ERROR(ReadTextMap(in, notes.node_selector));
  SortByKey(notes.node_selector);
  if (!notes.node_selector.empty()) pod.waiting = std::move(notes);
  return absl::OkStatus();
}

Status ReadSpec(JsonReader& in, PodResourceNames& names, Pod& pod) {
  return in.Members([&](const JsonKey& key) {
    if (key.Is("nodeName")) return in.Read(pod.node_name);
    if (key.Is("nodeSelector")) return ReadNodeSelector(in, pod);
    if (key.Is("priority")) return in.Read(pod.priority);
    if (key.Is("terminationGracePeriodSeconds")) return in.Read(pod.grace_seconds);
    if (key.Is("overhead")) return ReadResourceList(in, names, pod.overhead);
    if (key.Is("initContainers")) return ReadContainers(in, names, pod.init_containers);
    if (key.Is("containers")) return ReadContainers(in, names, pod.containers);
    if (key.Is("preemptionPolicy")) return ReadPreemptionPolicy(in, pod.preempts);
    if (key.Is("schedulingGroup")) return in.Fields("podGroupName", pod.scheduling_group);
    if (key.Is("resourceClaims")) return ReadPodClaims(in, pod.claims);
    return key.Is("resources") ? ReadPodResources(in, names, pod.pod_level) : absl::OkStatus();
  });
}

// Kubernetes has pod-level cpu, memory and hugepages; upstream passes over other names.
void KeepPodLevelNames(ResourceVector& amounts) {
  ResourceVector kept;
  for (const auto& [resource, amount] : amounts) {
    if (resource == kCpu || resource == kMemory || IsHugepages(resource)) kept.Set(resource, amount);
  }
  amounts = std::move(kept);
}

}  // namespace

StatusOr<Pod> DecodePod(std::string_view json, const ResourceNames& table, Status* left_out) {
  PodResourceNames names(table);
  NamedStatuses statuses;
  std::vector<ClaimStatus> claims;
  MarkTexts marks;
  auto pod = DecodeObject<Pod>(json, [&](JsonReader& in, Pod& out) {
    return in.Members([&](const JsonKey& key) {
      if (key.Is("metadata")) return ReadMetadata(in, table.pod_keys(), out, marks);
      if (key.Is("spec")) return ReadSpec(in, names, out);
      if (key.Is("status")) return ReadPodStatus(in, names, out, statuses, claims);
      return absl::OkStatus();
    });
  });
  if (!pod.ok()) return pod;
  AttachStatuses(std::move(statuses), *pod);
  AttachClaimNames(claims, pod->claims);
  pod->has_topology_result = !marks.result.empty();
  if (pod->has_topology_result) pod->topology_result = ParseTopologyResult(marks.result, names);
  pod->placement_mark = ParsePlacementMark(marks.placement, names);
  pod->observed_mark = ParsePlacementMark(marks.observed, names);
  if (auto& mark = pod->placement_mark; mark && mark->quota && pod->quota && *mark->quota == *pod->quota) {
    mark->quota = pod->quota;  // nearly always: one copy in memory
  }
  // huygens writes both alike; where there is no result the zones of the mark count.
  if (pod->placement_mark && pod->placement_mark->zones == pod->topology_result) {
    pod->topology_result = std::vector<cluster::ZoneAmount>();  // gives its memory back, as clear() would not
  }
  if (pod->pod_level) {
    KeepPodLevelNames(pod->pod_level->requests);
    KeepPodLevelNames(pod->pod_level->limits);
  }
  if (pod->Bound()) pod->waiting.reset();
  if (!names.unknown().empty()) pod->unknown_resources = names.unknown();
  if (names.left_out() && left_out != nullptr) {
    *left_out = Invalid(Concat("more than ", std::to_string(cluster::kMostUnknownResources),
                               " resources that no node has; those beyond do not count"));
  }
  return pod;
}

}  // namespace huygens::wire
