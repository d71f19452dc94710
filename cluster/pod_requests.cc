#include "cluster/pod_requests.h"

#include <algorithm>

namespace huygens::cluster {
namespace {

// `amounts_of(container, resizable)` is what a container counts.
template <typename AmountsOf>
ResourceVector SumOfContainers(const Pod& pod, AmountsOf&& amounts_of) {
  ResourceVector running;
  for (const Container& container : pod.containers) running.Add(amounts_of(container, true));
  ResourceVector sidecars;
  ResourceVector starting;
  for (const Container& container : pod.init_containers) {
    const ResourceVector& amounts = amounts_of(container, container.restartable);
    ResourceVector meanwhile = sidecars;
    meanwhile.Add(amounts);
    starting.Max(meanwhile);
    if (container.restartable) sidecars.Add(amounts);
  }
  running.Add(sidecars);
  running.Max(starting);
  return running;
}

ResourceVector SumOfPlacedRequests(const Pod& pod) {
  return SumOfContainers(pod, [&](const Container& container, bool resizable) {
    return resizable ? PlacedRequests(pod, container) : container.requests;
  });
}

// What kubelet has promised is no limit.
ResourceVector PlacedLimits(const Pod& pod, const Container& container) {
  if (!container.status) return container.limits;
  ResourceVector limits = container.status->limits;
  if (!pod.resize_infeasible) limits.Max(container.limits);
  return limits;
}

int64_t PlacedPodLevel(const Pod& pod, ResourceId resource, int64_t asked) {
  if (!pod.pod_level_status) return asked;
  int64_t held = std::max(pod.pod_level_status->requests.Get(resource), pod.pod_level_allocated.Get(resource));
  return pod.resize_infeasible ? held : std::max(held, asked);
}

// Adds the cpu and memory above 0, the only ones that make a class.
void AddForQos(const ResourceVector& amounts, ResourceVector& sum) {
  for (ResourceId resource : {kCpu, kMemory}) {
    if (int64_t amount = amounts.Get(resource); amount > 0) sum.Add(resource, amount);
  }
}

bool LimitsBoth(const ResourceVector& limits) { return limits.Get(kCpu) > 0 && limits.Get(kMemory) > 0; }

}  // namespace

ResourceVector PodRequests(const Pod& pod) {
  ResourceVector requests = SumOfContainers(
      pod, [](const Container& container, bool) -> const ResourceVector& { return container.requests; });
  if (pod.pod_level) {
    for (const auto& [resource, amount] : pod.pod_level->requests) requests.Set(resource, amount);
  }
  requests.Add(pod.overhead);
  return requests;
}

ResourceVector PlacedRequests(const Pod& pod, const Container& container) {
  if (!container.status) return container.requests;
  ResourceVector requests = container.status->requests;
  requests.Max(container.status->allocated);
  if (!pod.resize_infeasible) requests.Max(container.requests);
  return requests;
}

ResourceVector PlacedPodRequests(const Pod& pod) {
  ResourceVector requests = SumOfPlacedRequests(pod);
  if (pod.pod_level) {
    for (const auto& [resource, amount] : pod.pod_level->requests) {
      requests.Set(resource, PlacedPodLevel(pod, resource, amount));
    }
  }
  requests.Add(pod.overhead);
  return requests;
}

PodResources QuotaResources(const Pod& pod) {
  PodResources counted;
  counted.requests = SumOfPlacedRequests(pod);
  counted.limits = SumOfContainers(pod, [&](const Container& container, bool resizable) {
    return resizable ? PlacedLimits(pod, container) : container.limits;
  });
  if (pod.pod_level) {
    for (const auto& [resource, amount] : pod.pod_level->requests) counted.requests.Set(resource, amount);
    for (const auto& [resource, amount] : pod.pod_level->limits) counted.limits.Set(resource, amount);
  }
  counted.requests.Add(pod.overhead);
  for (const auto& [resource, amount] : pod.overhead) {
    if (counted.limits.Get(resource) != 0) counted.limits.Add(resource, amount);
  }
  return counted;
}

QosClass ComputeQos(const Pod& pod) {
  ResourceVector requests, limits;
  bool guaranteed = true;
  auto add = [&](const ResourceVector& asked, const ResourceVector& limited) {
    AddForQos(asked, requests);
    AddForQos(limited, limits);
    guaranteed = guaranteed && LimitsBoth(limited);
  };
  if (pod.pod_level) {
    add(pod.pod_level->requests, pod.pod_level->limits);
  } else {
    for (const Container& container : pod.containers) add(container.requests, container.limits);
    for (const Container& container : pod.init_containers) add(container.requests, container.limits);
  }
  if (requests.empty() && limits.empty()) return QosClass::kBestEffort;
  return guaranteed && requests == limits ? QosClass::kGuaranteed : QosClass::kBurstable;
}

}  // namespace huygens::cluster
