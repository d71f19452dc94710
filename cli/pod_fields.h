// What an API server would refuse of a pod's manifest and huygens, which reads only what it needs, would pass over.
// Pure; any thread.
#pragma once

#include <string_view>

#include "base/resource.h"
#include "base/status.h"
#include "cluster/objects.h"

namespace huygens::cli {

// A field that is none of a Pod's and nearly called like one, as `kubectl apply` refuses it: "spec.contaners: there is
// no such field; did you mean containers?". Looks at the pod, its metadata, spec, containers and their resources. What
// is like no name that is known here may be of a newer Kubernetes and passes.
Status CheckPodFields(std::string_view json);

// A limit below its request, of a container or the pod: "spec.containers[0].resources: requests 4 cpu, above the limit
// of 2".
Status CheckPodLimits(const cluster::Pod& pod, const ResourceNames& names);

}  // namespace huygens::cli
