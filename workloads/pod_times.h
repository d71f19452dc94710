// Since when a pod has been on its node, and when it ended, as its status says. Pure; any thread.
#pragma once

#include <string_view>

#include "base/status.h"
#include "workloads/object.h"

namespace huygens::workloads {

// Fills in `scheduled` and, of a pod that has finished, `ended`: when the last of its containers did, else when its
// conditions last changed, as of pods that were evicted before any container ran.
Status ReadPodTimes(std::string_view json, WorkloadObject& pod);

}  // namespace huygens::workloads
