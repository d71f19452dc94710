// The part that pins: keeps the containers of this node on the CPUs that their pods were given (pinner/), by CRI and,
// where the runtime has it, NRI. It does nothing where kubelet pins (cpuManagerPolicy static), nor before kubelet has said
// how it runs.
#pragma once

#include <memory>

#include "agent/part.h"

namespace huygens::agent {

std::unique_ptr<Part> MakePins(const PartContext& context);

}  // namespace huygens::agent
