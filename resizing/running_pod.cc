#include "resizing/running_pod.h"

#include <algorithm>
#include <utility>

#include "json/reader.h"

namespace huygens::resizing {
namespace {

Status ReadResizePolicy(JsonReader& in, RestartedBy& out) {
  return in.Elements([&](size_t) -> Status {
    std::string resource, policy;
    HUYGENS_RETURN_IF_ERROR(in.Fields("resourceName", resource, "restartPolicy", policy));
    if (policy != "RestartContainer") return absl::OkStatus();
    if (resource == "cpu") out.resource[0] = true;
    if (resource == "memory") out.resource[1] = true;
    return absl::OkStatus();
  });
}

Status ReadContainers(JsonReader& in, std::vector<RestartedBy>& out) {
  return in.Elements([&](size_t) -> Status {
    RestartedBy container;
    HUYGENS_RETURN_IF_ERROR(
        in.Fields("name", container.container, "resizePolicy", [&] { return ReadResizePolicy(in, container); }));
    if (container.resource[0] || container.resource[1]) out.push_back(std::move(container));
    return absl::OkStatus();
  });
}

Status ReadConditions(JsonReader& in, bool& being_resized) {
  return in.Elements([&](size_t) -> Status {
    std::string type, status;
    HUYGENS_RETURN_IF_ERROR(in.Fields("type", type, "status", status));
    being_resized |= (type == "PodResizePending" || type == "PodResizeInProgress") && status == "True";
    return absl::OkStatus();
  });
}

}  // namespace

StatusOr<RunningPod> DecodeRunningPod(std::string_view json, const ResourceNames& names) {
  HUYGENS_ASSIGN_OR_RETURN(overcommit::AdmittedPod admitted, overcommit::DecodeAdmittedPod(json, names));
  HUYGENS_ASSIGN_OR_RETURN(
      RunningPod pod, DecodeObject<RunningPod>(json, [](JsonReader& in, RunningPod& out) {
        const auto containers = [&] { return ReadContainers(in, out.restarted_by); };
        return in.Fields(
            "metadata", [&] { return in.Fields("resourceVersion", out.resource_version); }, "spec",
            [&] { return in.Fields("containers", containers, "initContainers", containers); }, "status",
            [&] { return in.Fields("conditions", [&] { return ReadConditions(in, out.being_resized); }); });
      }));
  pod.admitted = std::move(admitted);
  return pod;
}

bool RestartsFor(const RunningPod& pod, std::string_view container, size_t resource) {
  const auto at = std::ranges::find(pod.restarted_by, container, &RestartedBy::container);
  return at != pod.restarted_by.end() && at->resource[resource];
}

}  // namespace huygens::resizing
