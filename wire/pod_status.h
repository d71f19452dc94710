// What kubelet and the API server say of a pod in its `status`, for the decoder of pods. Kubelet names containers
// there, in an order of its own; AttachStatuses() puts each status on the container of its name. Safe on any thread.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/resource.h"
#include "base/status.h"
#include "cluster/objects.h"
#include "json/reader.h"
#include "wire/pod_claims.h"
#include "wire/resources.h"

namespace huygens::wire {

// By container name; only those of containers whose `resources` kubelet reports.
using NamedStatuses = std::vector<std::pair<std::string, cluster::ContainerStatus>>;

Status ReadPodStatus(JsonReader& in, PodResourceNames& names, cluster::Pod& pod, NamedStatuses& statuses,
                     std::vector<ClaimStatus>& claims);
// The last status of a name counts. One that repeats what the spec says is left out.
void AttachStatuses(NamedStatuses statuses, cluster::Pod& pod);

}  // namespace huygens::wire
