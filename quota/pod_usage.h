// What one pod costs its group: the usage that ResourceQuota computes (init containers, sidecars, overhead, pod-level
// resources, resizes under way; pkg/quota/v1/evaluator/core), and the same again under the keys of the models that the
// pod's labels name. A template costs what its pods cost once the API server has defaulted them. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "base/resource.h"
#include "cluster/objects.h"
#include "quota/amounts.h"
#include "quota/device_classes.h"
#include "quota/keys.h"

namespace huygens::quota {

// Of a pod that counts; of one that has ended (Succeeded or Failed) only count/pods. What containers ask for by the
// name of a device class, or by the extended resource of one of `classes`, is charged as devices of the class, too, as
// in the claim that kube-scheduler makes for it. What its ResourceClaims ask for is not among it (quota/claims.h).
Amounts PodUsage(const cluster::Pod& pod, const cluster::QuotaLabels& labels, const ResourceNames& names,
                 const KeyOptions& options, const DeviceClasses& classes = {});

// Whether a container asks for a resource, other than cpu and memory, of which `is_wanted` says so.
bool AnyRequest(const cluster::Pod& pod, const ResourceNames& names,
                absl::FunctionRef<bool(std::string_view name)> is_wanted);

// Fills in what the API server fills in when it stores a pod (pkg/apis/core/v1 SetDefaults_Pod), and does not for the
// templates of workloads: limits stand for requests that are missing; pod-level requests come from the containers, then
// from the pod-level limits; pod-level hugepages limits from the containers.
void DefaultPod(cluster::Pod& pod);

// Whoever limits cpu or memory wants each container to say how much it takes, init containers included: "must specify
// limits.cpu for: app,init; requests.memory for: app", or empty if nothing is missing. Keys of a model count where the
// pod's labels name that model. Nothing is asked of pods with resources at pod level.
std::string MissingValues(const cluster::Pod& pod, const cluster::QuotaLabels& labels, const Amounts& hard);

}  // namespace huygens::quota
