// A core/v1 Node reduced to name, UID, labels, allocatable and the annotations of wire/node_annotations.h. Same
// tolerance and errors as wire/pod.h; besides, a name is needed. An annotation whose text cannot be read counts as
// absent, a resource for whose name the table has no room is left out, and `ignored`, if given, says which and why.
// Safe on any thread.
#pragma once

#include <string_view>

#include "base/resource.h"
#include "base/status.h"
#include "cluster/objects.h"

namespace huygens::wire {

StatusOr<cluster::Node> DecodeNode(std::string_view json, ResourceNames& names, Status* ignored = nullptr);

}  // namespace huygens::wire
