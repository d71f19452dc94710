// A core/v1 Pod as kube-scheduler or the API server writes it, reduced to what cluster::Pod holds. Missing fields,
// nulls, unknown fields and field names in any case are fine. Fails on text that is not JSON and on a wrong type or
// quantity in a field that is needed, naming the field. Annotations never fail a pod: an unreadable topology-result,
// huygens.dev/placement or huygens.dev/placement-observed counts as absent. Safe on any thread.
#pragma once

#include <string_view>

#include "base/resource.h"
#include "base/status.h"
#include "cluster/objects.h"

namespace huygens::wire {

// Names of resources are looked up and never put into the table (cluster/unknown_resources.h); `left_out`, if given,
// says that some were too many.
StatusOr<cluster::Pod> DecodePod(std::string_view json, const ResourceNames& names, Status* left_out = nullptr);

}  // namespace huygens::wire
