// The part that serves the node's devices to kubelet, and keeps the count of resources that have none: the section
// `devices` of the configuration.
#pragma once

#include <memory>

#include "agent/part.h"

namespace huygens::agent {

std::unique_ptr<Part> MakeDevices(const PartContext& context);

}  // namespace huygens::agent
