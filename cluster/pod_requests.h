// What a pod asks of a node as kube-scheduler counts it (k8s.io/component-helpers/resource PodRequests), and the
// quality-of-service class that follows from it (pkg/apis/core/v1/helper/qos). Base units, rounded up per container
// where upstream rounds the sum; the API server admits whole milli-units only, so that at most fractions of a byte
// differ. Pure; any thread.
#pragma once

#include "base/resource.h"
#include "cluster/objects.h"

namespace huygens::cluster {

// Of a pod that is to be placed, from its spec alone. Per resource the larger of what runs for good (containers and
// sidecars) and what each init container needs beside the sidecars started before it; pod-level requests take the place
// of the sum for the resources they name; overhead comes on top. A request of 0 stays as a 0. The pod's slot is not
// included.
ResourceVector PodRequests(const Pod& pod);

// Of a pod that is on a node, where an in-place resize may be under way: per container and sidecar, and at pod level,
// the largest of what the spec asks, what is in force and what kubelet has promised. The spec does not count where
// kubelet calls the resize infeasible. Where kubelet reports no resources, and without a resize, the same as
// PodRequests().
ResourceVector PlacedPodRequests(const Pod& pod);
// The same of one container of it; ordinary init containers are never resized.
ResourceVector PlacedRequests(const Pod& pod, const Container& container);

// Requests and limits as ResourceQuota counts them, placed or not: resizes per container as above, the pod level as the
// spec has it. Overhead is added to the limits that are there and not 0.
PodResources QuotaResources(const Pod& pod);

// From cpu and memory of all containers, init containers included, or of the pod level alone where the pod has
// spec.resources, even if empty.
QosClass ComputeQos(const Pod& pod);
// What the API server has recorded, which is what kubelet goes by; else computed.
inline QosClass QosOf(const Pod& pod) { return pod.qos_class ? *pod.qos_class : ComputeQos(pod); }

}  // namespace huygens::cluster
