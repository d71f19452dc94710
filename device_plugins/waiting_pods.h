// Pods that wait on a node for devices, of a PodList as kubelet answers GET /pods. Pure; any thread.
#pragma once

#include <string_view>
#include <vector>

#include "base/status.h"
#include "device_plugins/preferred_devices.h"

namespace huygens::device_plugins {

// Those that have not begun, and ask for `resource`.
StatusOr<std::vector<WaitingPod>> DecodeWaitingPods(std::string_view pod_list, std::string_view resource);

}  // namespace huygens::device_plugins
