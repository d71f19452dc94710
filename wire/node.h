// A core/v1 Node reduced to name, UID, labels, allocatable and the annotations of wire/node_annotations.h. Same
// tolerance and errors as wire/pod.h; besides, a name is needed. Safe on any thread.
#pragma once

#include <string_view>

#include "base/resource.h"
#include "base/status.h"
#include "cluster/objects.h"

namespace huygens::wire {

StatusOr<cluster::Node> DecodeNode(std::string_view json, ResourceNames& names);

}  // namespace huygens::wire
