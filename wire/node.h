// A core/v1 Node reduced to name, UID, labels, allocatable and the annotations of wire/node_annotations.h. Same
// tolerance and errors as wire/pod.h; besides, a name is needed. An annotation whose text cannot be read counts as
// absent, and `annotations`, if given, says which and why. Safe on any thread.
#pragma once

#include <string_view>

#include "base/resource.h"
#include "base/status.h"
#include "cluster/objects.h"

namespace huygens::wire {

StatusOr<cluster::Node> DecodeNode(std::string_view json, ResourceNames& names, Status* annotations = nullptr);

}  // namespace huygens::wire
