#include "kubelet/request.h"

namespace huygens::kubelet {

Request RequestOf(const cluster::Pod& pod) {
  Request request{.pod = PodOf(pod)};
  for (const Container& container : request.pod.containers) {
    if (container.kind == Container::Kind::kInit) request.plain = false;
    request.cpus += container.cpus;
    for (const auto& [resource, amount] : container.memory) {
      request.asks_nothing = false;
      request.holds_nothing = request.holds_nothing && amount == 0;
      if (resource == kMemory) {
        request.memory = SaturatingAdd(request.memory, amount);
      } else {
        request.plain = false;
      }
    }
    for (const auto& [resource, amount] : container.devices) {
      if (IsHugepages(resource)) continue;  // no devices, whatever the pod's class
      request.asks_nothing = request.plain = false;
      request.holds_nothing = request.holds_nothing && amount == 0;
    }
  }
  request.asks_nothing = request.asks_nothing && request.cpus == 0;
  request.holds_nothing = request.holds_nothing && request.cpus == 0;
  request.one_container = request.pod.containers.size() == 1;
  return request;
}

}  // namespace huygens::kubelet
