#include "placement/node_fit.h"

#include "cluster/pod_requests.h"

namespace huygens::placement {

ResourceVector RequestsOf(const cluster::Pod& pod) {
  ResourceVector requests = cluster::PodRequests(pod);
  requests.Add(kPodSlots, 1);
  return requests;
}

std::vector<ResourceId> Lacking(const ResourceVector& requests, const ResourceVector& allocatable,
                                const ResourceVector& used) {
  std::vector<ResourceId> lacking;
  for (const auto& [resource, amount] : requests) {
    if (amount > 0 && SaturatingAdd(used.Get(resource), amount) > allocatable.Get(resource))
      lacking.push_back(resource);
  }
  return lacking;
}

}  // namespace huygens::placement
