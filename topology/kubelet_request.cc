#include "topology/kubelet_request.h"

namespace huygens::topology {

namespace {

// A request of 0 asks nothing, also of a resource that a machine has none of.
void DropZeros(ResourceVector& amounts) {
  ResourceVector kept;
  for (const auto& [resource, amount] : amounts) {
    if (amount > 0) kept.Set(resource, amount);
  }
  amounts = std::move(kept);
}

}  // namespace

KubeletRequest KubeletRequestOf(const cluster::Pod& pod) {
  KubeletRequest request{.pod = KubeletPodOf(pod)};
  DropZeros(request.pod.memory);
  DropZeros(request.pod.devices);
  for (KubeletContainer& container : request.pod.containers) {
    DropZeros(container.memory);
    DropZeros(container.devices);
    if (container.kind == KubeletContainer::Kind::kInit) request.plain = false;
    request.cpus += container.cpus;
    for (const auto& [resource, amount] : container.memory) {
      request.asks_nothing = false;
      if (resource == kMemory) {
        request.memory = SaturatingAdd(request.memory, amount);
      } else {
        request.plain = false;
      }
    }
    for (const auto& each : container.devices) {
      if (IsHugepages(each.first)) continue;  // no devices, whatever the pod's class
      request.asks_nothing = request.plain = false;
    }
  }
  request.asks_nothing = request.asks_nothing && request.cpus == 0;
  request.one_container = request.pod.containers.size() == 1;
  return request;
}

}  // namespace huygens::topology
