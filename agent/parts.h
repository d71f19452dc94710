// The parts of the agent, in the order in which they are started.
#pragma once

#include <memory>
#include <vector>

#include "agent/part.h"

namespace huygens::agent {

std::vector<std::unique_ptr<Part>> MakeParts(const PartContext& context);

}  // namespace huygens::agent
