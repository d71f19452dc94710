#include "placement/node_fit.h"

#include "cluster/pod_requests.h"

namespace huygens::placement {

namespace {

ResourceVector WithSlot(ResourceVector requests) {
  requests.Add(kPodSlots, 1);
  return requests;
}

}  // namespace

ResourceVector RequestsOf(const cluster::Pod& pod) { return WithSlot(cluster::PodRequests(pod)); }

ResourceVector PlacedRequestsOf(const cluster::Pod& pod) { return WithSlot(cluster::PlacedPodRequests(pod)); }

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
