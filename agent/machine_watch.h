// The part that reads the machine, at start and every publish.machineInterval: CPUs go offline and huge pages come while
// a machine runs, and inotify knows nothing of /sys.
#pragma once

#include <memory>

#include "agent/part.h"

namespace huygens::agent {

std::unique_ptr<Part> MakeMachineWatch(const PartContext& context);

}  // namespace huygens::agent
