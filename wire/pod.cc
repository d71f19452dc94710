#include "wire/pod.h"

#include <string>

#include "wire/binding.h"
#include "wire/json_reader.h"
#include "wire/pod_annotations.h"
#include "wire/resources.h"

namespace huygens::wire {
namespace {

using cluster::Container;
using cluster::Pod;
using cluster::PodPhase;

constexpr std::string_view kCpuPolicyAnnotation = "topology.crane.io/cpu-policy";
constexpr std::string_view kAwarenessAnnotation = "topology.crane.io/topology-awareness";

PodPhase ParsePhase(std::string_view text) {
  if (text.empty() || text == "Pending") return PodPhase::kPending;
  if (text == "Running") return PodPhase::kRunning;
  if (text == "Succeeded") return PodPhase::kSucceeded;
  if (text == "Failed") return PodPhase::kFailed;
  return PodPhase::kUnknown;
}

Status ReadAnnotations(JsonReader& in, ResourceNames& names, Pod& pod) {
  if (in.Next() == JsonType::kNull) {
    pod.cpu_policy = cluster::CpuPolicy::kUnset;
    pod.topology_awareness.reset();
    pod.topology_result.clear();
    pod.placement_mark.reset();
  }
  return in.Members([&](const JsonKey& key) -> Status {
    bool policy = key.text == kCpuPolicyAnnotation, awareness = key.text == kAwarenessAnnotation;
    bool result = key.text == kTopologyResultAnnotation, placement = key.text == kPlacementAnnotation;
    if (!policy && !awareness && !result && !placement) return absl::OkStatus();
    std::string text;
    HUYGENS_RETURN_IF_ERROR(in.Read(text));
    if (policy) pod.cpu_policy = ParseCpuPolicy(text);
    if (awareness) pod.topology_awareness = ParseBoolWord(text);
    if (result) pod.topology_result = ParseTopologyResult(text, names);
    if (placement) pod.placement_mark = ParsePlacementMark(text);
    return absl::OkStatus();
  });
}

// Whether any of the owners is a DaemonSet, controller or not, as crane asks.
Status ReadOwners(JsonReader& in, bool& daemon_set) {
  daemon_set = false;
  return in.Elements([&](size_t) -> Status {
    std::string kind;
    HUYGENS_RETURN_IF_ERROR(
        in.Members([&](const JsonKey& key) { return key.Is("kind") ? in.Read(kind) : absl::OkStatus(); }));
    daemon_set = daemon_set || kind == "DaemonSet";
    return absl::OkStatus();
  });
}

Status ReadMetadata(JsonReader& in, ResourceNames& names, Pod& pod) {
  return in.Members([&](const JsonKey& key) {
    if (key.Is("name")) return in.Read(pod.name);
    if (key.Is("namespace")) return in.Read(pod.namespace_name);
    if (key.Is("uid")) return in.Read(pod.uid);
    if (key.Is("annotations")) return ReadAnnotations(in, names, pod);
    if (key.Is("ownerReferences")) return ReadOwners(in, pod.owned_by_daemon_set);
    if (key.Is("deletionTimestamp")) pod.deleting = in.Next() != JsonType::kNull;
    return absl::OkStatus();
  });
}

Status ReadContainers(JsonReader& in, ResourceNames& names, std::vector<Container>& containers) {
  return ReadList(in, containers, [&](Container& container) {
    return in.Members([&](const JsonKey& key) -> Status {
      if (key.Is("name")) return in.Read(container.name);
      if (key.Is("resources")) return ReadRequirements(in, names, container.requests, container.limits);
      if (!key.Is("restartPolicy")) return absl::OkStatus();
      std::string policy;
      HUYGENS_RETURN_IF_ERROR(in.Read(policy));
      container.restartable = policy == "Always";
      return absl::OkStatus();
    });
  });
}

Status ReadSpec(JsonReader& in, ResourceNames& names, Pod& pod) {
  return in.Members([&](const JsonKey& key) {
    if (key.Is("nodeName")) return in.Read(pod.node_name);
    if (key.Is("schedulerName")) return in.Read(pod.scheduler_name);
    if (key.Is("priority")) return in.Read(pod.priority);
    if (key.Is("overhead")) return ReadResourceList(in, names, pod.overhead);
    if (key.Is("initContainers")) return ReadContainers(in, names, pod.init_containers);
    if (key.Is("containers")) return ReadContainers(in, names, pod.containers);
    if (!key.Is("resources")) return absl::OkStatus();
    if (in.Next() == JsonType::kNull) {
      pod.pod_level.reset();
      return absl::OkStatus();
    }
    if (!pod.pod_level) pod.pod_level.emplace();
    return ReadRequirements(in, names, pod.pod_level->requests, pod.pod_level->limits);
  });
}

Status ReadStatus(JsonReader& in, Pod& pod) {
  return in.Members([&](const JsonKey& key) -> Status {
    if (!key.Is("phase") || in.SkipNull()) return absl::OkStatus();
    std::string phase;
    HUYGENS_RETURN_IF_ERROR(in.Read(phase));
    pod.phase = ParsePhase(phase);
    return absl::OkStatus();
  });
}

}  // namespace

StatusOr<Pod> DecodePod(std::string_view json, ResourceNames& names) {
  return DecodeObject<Pod>(json, [&](JsonReader& in, Pod& pod) {
    return in.Members([&](const JsonKey& key) {
      if (key.Is("metadata")) return ReadMetadata(in, names, pod);
      if (key.Is("spec")) return ReadSpec(in, names, pod);
      if (key.Is("status")) return ReadStatus(in, pod);
      return absl::OkStatus();
    });
  });
}

}  // namespace huygens::wire
