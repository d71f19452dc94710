// What a pod asks of nodes whose kubelet pins, with what answers most questions about it at once. Pure; any thread.
//
// Kubelet drops no amount of 0 (generateDeviceTopologyHints, devicesToAllocate in pkg/kubelet/cm/devicemanager): no
// device is taken, but zones that have such devices are preferred, one at a time, and a resource whose devices are all
// unhealthy refuses the pod.
#pragma once

#include "kubelet/pod.h"

namespace huygens::kubelet {

struct Request {
  Pod pod;
  bool asks_nothing = true;   // no manager looks at it on any machine
  bool holds_nothing = true;  // nothing of it can be pinned on any machine; it may still ask, namely for 0 devices
  // Asks CPUs and memory only, and no init container binds the containers after it to its zones: then one zone with
  // `cpus` and `memory` free, the sums over all containers, is enough under every policy.
  bool plain = true;
  int64_t cpus = 0;
  int64_t memory = 0;
  bool one_container = true;
};

Request RequestOf(const cluster::Pod& pod);

}  // namespace huygens::kubelet
