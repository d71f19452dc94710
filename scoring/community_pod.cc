#include "scoring/community_pod.h"

#include <algorithm>

#include "cluster/pod_requests.h"

namespace huygens::scoring {

namespace {

ZoneDemand DemandOf(const ResourceVector& requests, std::vector<ResourceId>& resources) {
  ZoneDemand demand;
  for (const auto& [resource, amount] : requests) {
    auto at = std::find(resources.begin(), resources.end(), resource);
    demand.emplace_back(at - resources.begin(), amount);
    if (at == resources.end()) resources.push_back(resource);
  }
  return demand;
}

}  // namespace

CommunityPod CommunityPodOf(const cluster::Pod& pod) {
  CommunityPod view;
  view.guaranteed = cluster::QosOf(pod) == cluster::QosClass::kGuaranteed;
  if (!view.guaranteed) return view;
  ResourceVector sum, largest_init;
  for (const cluster::Container& container : pod.init_containers) largest_init.Max(container.requests);
  for (const cluster::Container& container : pod.containers) sum.Add(container.requests);
  sum.Max(largest_init);
  sum.Add(pod.overhead);
  view.pod = DemandOf(sum, view.resources);
  for (const auto* containers : {&pod.init_containers, &pod.containers}) {
    for (const cluster::Container& container : *containers) {
      if (container.requests.empty()) continue;
      view.containers.push_back(DemandOf(container.requests, view.resources));
    }
  }
  return view;
}

}  // namespace huygens::scoring
