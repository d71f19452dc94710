// What the configuration means to the decision core: names of resources become ids. And to decoders: `resources` says
// from then on which labels and annotations of pods somebody asks for.
#pragma once

#include "base/resource.h"
#include "base/status.h"
#include "placement/placement.h"
#include "settings/configuration.h"

namespace huygens::settings {

// Fails only where there are too many names of resources.
StatusOr<placement::Options> PlacementOptions(const Configuration& configuration, ResourceNames& resources);

}  // namespace huygens::settings
