#include "cluster/pod_requests.h"

namespace huygens::cluster {

ResourceVector PodRequests(const Pod& pod) {
  ResourceVector running;
  for (const Container& container : pod.containers) running.Add(container.requests);
  ResourceVector sidecars;
  ResourceVector starting;
  for (const Container& container : pod.init_containers) {
    ResourceVector meanwhile = sidecars;
    meanwhile.Add(container.requests);
    starting.Max(meanwhile);
    if (container.restartable) sidecars.Add(container.requests);
  }
  running.Add(sidecars);
  running.Max(starting);
  if (pod.pod_level) {
    for (const auto& [resource, amount] : pod.pod_level->requests) {
      // Kubernetes has pod-level cpu, memory and hugepages; it admits no others.
      if (resource != kEphemeralStorage && resource != kPodSlots) running.Set(resource, amount);
    }
  }
  running.Add(pod.overhead);
  return running;
}

}  // namespace huygens::cluster
