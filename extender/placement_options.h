// What the configuration means to the decision core: names of resources become ids.
#pragma once

#include "base/resource.h"
#include "base/status.h"
#include "extender/configuration.h"
#include "placement/placement.h"

namespace huygens::extender {

// Fails only where there are too many names of resources.
StatusOr<placement::Options> PlacementOptions(const Configuration& configuration, ResourceNames& resources);

}  // namespace huygens::extender
