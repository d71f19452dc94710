// A pod that runs, as an API server shows it: what it asks for, whether that may be changed without a restart of its
// containers, and whether kubelet is still at an earlier change. Pure; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/resource.h"
#include "base/status.h"
#include "overcommit/admitted_pod.h"
#include "recommend/decision.h"

namespace huygens::resizing {

// A container that is restarted when its request of the resource changes (resizePolicy RestartContainer).
struct RestartedBy {
  std::string container;
  recommend::PerResource<bool> resource{};
};

struct RunningPod {
  overcommit::AdmittedPod admitted;
  std::string resource_version;
  std::vector<RestartedBy> restarted_by;
  // A condition PodResizePending or PodResizeInProgress that is true.
  bool being_resized = false;
};

// Fails where the pod cannot be read, naming the field.
StatusOr<RunningPod> DecodeRunningPod(std::string_view json, const ResourceNames& names);

bool RestartsFor(const RunningPod& pod, std::string_view container, size_t resource);

}  // namespace huygens::resizing
