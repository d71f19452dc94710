// Whether a pod fits a node by plain requests, as kube-scheduler's own filter asks before it calls an extender. For
// callers that stand in for kube-scheduler (the `place` command, tests) and for views of a node; a running extender
// never asks. Pure functions; any thread.
#pragma once

#include <vector>

#include "cluster/objects.h"

namespace huygens::placement {

// What the pod takes of a node's allocatable: its requests (cluster/pod_requests.h) and one pod slot. Of a pod to be
// placed, and of one that is on a node, where it may be in the middle of a resize.
ResourceVector RequestsOf(const cluster::Pod& pod);
ResourceVector PlacedRequestsOf(const cluster::Pod& pod);

// The resources of which a node with this much allocatable and used has too little left; empty = it fits. A resource
// that the node does not list is none; what is not requested never lacks.
std::vector<ResourceId> Lacking(const ResourceVector& requests, const ResourceVector& allocatable,
                                const ResourceVector& used);

}  // namespace huygens::placement
