#include "wire/pod_status.h"

#include <optional>
#include <string_view>

#include "base/text.h"
#include "base/time.h"
#include "wire/resources.h"

namespace huygens::wire {
namespace {

using cluster::Pod;
using cluster::PodPhase;
using cluster::QosClass;

PodPhase ParsePhase(std::string_view text) {
  if (text.empty() || text == "Pending") return PodPhase::kPending;
  if (text == "Running") return PodPhase::kRunning;
  if (text == "Succeeded") return PodPhase::kSucceeded;
  if (text == "Failed") return PodPhase::kFailed;
  return PodPhase::kUnknown;
}

std::optional<QosClass> ParseQosClass(std::string_view text) {
  if (text == "Guaranteed") return QosClass::kGuaranteed;
  if (text == "Burstable") return QosClass::kBurstable;
  if (text == "BestEffort") return QosClass::kBestEffort;
  return std::nullopt;
}

// Kubelet repeats neither type nor verdict: of two conditions of one type upstream looks at the first.
Status ReadConditions(JsonReader& in, Pod& pod) {
  pod.ready = pod.resize_infeasible = false;
  bool found = false;
  return in.Elements([&](size_t) -> Status {
    std::string type, status, reason;
    HUYGENS_RETURN_IF_ERROR(in.Fields("type", type, "status", status, "reason", reason));
    if (type == "Ready") pod.ready = status == "True";
    if (type != "PodResizePending" || found) return absl::OkStatus();
    found = true;
    pod.resize_infeasible = reason == "Infeasible";
    return absl::OkStatus();
  });
}

Status ReadContainerStatuses(JsonReader& in, PodResourceNames& names, NamedStatuses& out) {
  return in.Elements([&](size_t) -> Status {
    std::string name;
    cluster::ContainerStatus status;
    bool reported = false;
    HUYGENS_RETURN_IF_ERROR(in.Members([&](const JsonKey& key) {
      if (key.Is("name")) return in.Read(name);
      if (key.Is("allocatedResources")) return ReadResourceList(in, names, status.allocated);
      if (!key.Is("resources")) return absl::OkStatus();
      reported = in.Next() != JsonType::kNull;
      return ReadRequirements(in, names, status.requests, status.limits);
    }));
    if (reported) out.emplace_back(std::move(name), std::move(status));
    return absl::OkStatus();
  });
}

// Whether the pod counts the same without the status (cluster/pod_requests.h), as nearly all do.
bool RepeatsSpec(const cluster::ContainerStatus& status, const cluster::Container& container) {
  ResourceVector requests = status.requests;
  requests.Max(status.allocated);
  return requests == container.requests && status.limits == container.limits;
}

}  // namespace

Status ReadPodStatus(JsonReader& in, PodResourceNames& names, Pod& pod, NamedStatuses& statuses,
                     std::vector<ClaimStatus>& claims) {
  return in.Members([&](const JsonKey& key) -> Status {
    if (key.Is("startTime")) return ReadTime(in, pod.start_time);
    if (key.Is("conditions")) return ReadConditions(in, pod);
    if (key.Is("containerStatuses")) return ReadContainerStatuses(in, names, statuses);
    if (key.Is("initContainerStatuses")) return ReadContainerStatuses(in, names, statuses);
    if (key.Is("allocatedResources")) return ReadKnownResources(in, names, pod.pod_level_allocated);
    if (key.Is("resources")) return ReadPodResources(in, names, pod.pod_level_status);
    if (key.Is("nominatedNodeName")) return in.Read(pod.nominated_node);
    if (key.Is("resourceClaimStatuses")) return ReadClaimStatuses(in, claims);
    bool phase = key.Is("phase");
    if ((!phase && !key.Is("qosClass")) || in.SkipNull()) return absl::OkStatus();
    std::string text;
    HUYGENS_RETURN_IF_ERROR(in.Read(text));
    if (phase) {
      pod.phase = ParsePhase(text);
    } else {
      pod.qos_class = ParseQosClass(text);
    }
    return absl::OkStatus();
  });
}

void AttachStatuses(NamedStatuses statuses, Pod& pod) {
  if (statuses.empty()) return;
  TextMap<cluster::ContainerStatus> by_name;
  for (auto& [name, status] : statuses) by_name.insert_or_assign(std::move(name), std::move(status));
  for (auto* containers : {&pod.init_containers, &pod.containers}) {
    for (cluster::Container& container : *containers) {
      auto at = by_name.find(container.name);
      if (at != by_name.end() && !RepeatsSpec(at->second, container)) container.status = at->second;
    }
  }
}

}  // namespace huygens::wire
