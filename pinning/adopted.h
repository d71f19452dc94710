// What containers have by the runtime's word, where no state file says what they were given. Pure; any thread.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "pinning/assignment.h"

namespace huygens::pinning {

// `running`: by ID of the container, on which CPUs it runs. Adds to `before`, for each pod that owns CPUs and is not in
// it, the sets that can be nothing but its own: as many CPUs as the container asks for, in the pod's zones, and of no
// other. An interrupted write leaves other sets, and of these nothing is taken over.
void AdoptRunning(const NodeCpus& node, const std::vector<LivePod>& pods,
                  const std::map<std::string, CpuSet, std::less<>>& running, PodSets& before);

}  // namespace huygens::pinning
