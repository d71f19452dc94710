// What a pod asks of a node as kube-scheduler counts it (k8s.io/component-helpers/resource PodRequests). Pure; any
// thread.
#pragma once

#include "base/resource.h"
#include "cluster/objects.h"

namespace huygens::cluster {

// Per resource the larger of what runs for good (containers and sidecars) and what each init container needs beside the
// sidecars started before it; pod-level requests take the place of the sum for the resources they name; overhead comes
// on top. The pod's slot is not included.
ResourceVector PodRequests(const Pod& pod);

}  // namespace huygens::cluster
