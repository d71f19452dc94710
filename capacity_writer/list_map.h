// Whether several writers may each own parts of a list, by the definition of its kind. Pure; any thread.
#pragma once

#include <string_view>

#include "base/status.h"
#include "cluster/objects.h"

namespace huygens::capacity_writer {

// Whether zones are a map of their names (x-kubernetes-list-type), and with the community's also the attributes of a zone,
// by a CustomResourceDefinition. Fails where it has no version that huygens writes.
StatusOr<bool> ZonesAreMap(std::string_view definition, cluster::TopologySource source);

}  // namespace huygens::capacity_writer
