// What kubelet's CPU, memory and device managers look at in a pod. Made once per pod, asked of many machines; pure.
// Source: kubernetes, pkg/kubelet/cm: guaranteedCPUs, podGuaranteedCPUs (cpumanager/policy_static.go),
// getPodRequestedResources (memorymanager/policy_static.go), getPodDeviceRequest (devicemanager/topology_hints.go)
#pragma once

#include <utility>
#include <vector>

#include "cluster/objects.h"

namespace huygens::kubelet {

struct Container {
  enum class Kind : uint8_t { kInit, kSidecar, kApp };
  Kind kind = Kind::kApp;
  int cpus = 0;            // exclusive CPUs; 0 = runs in the shared pool
  ResourceVector memory;   // requests the memory manager may look at (all but cpu); empty = none
  ResourceVector devices;  // limits the device manager may look at (all but cpu and memory)
  friend bool operator==(const Container&, const Container&) = default;
  template <typename H>
  friend H AbslHashValue(H hash, const Container& c) {
    return H::combine(std::move(hash), c.kind, c.cpus, c.memory, c.devices);
  }
};

struct Pod {
  std::vector<Container> containers;  // in the order in which they start
  // For scope pod: the larger of what runs for good and what an init container needs beside the sidecars before it.
  int cpus = 0;
  ResourceVector memory;  // only of resources that an app container requests
  ResourceVector devices;
  bool reuses_cpus = false;  // an init container has exclusive CPUs, which later containers take over

  friend bool operator==(const Pod&, const Pod&) = default;
  template <typename H>
  friend H AbslHashValue(H hash, const Pod& p) {
    return H::combine(std::move(hash), p.containers, p.cpus, p.memory, p.devices, p.reuses_cpus);
  }
};

struct Uses {
  ResourceVector lasting;  // of the containers that run for good
  ResourceVector peak;     // of these and the init containers beside them
};
// Of containers that take what `of` says of each.
template <typename Of>
Uses UsesOf(const std::vector<Container>& containers, Of of) {
  Uses uses;
  for (const Container& container : containers) {
    if (container.kind == Container::Kind::kInit) {
      ResourceVector beside = uses.lasting;
      beside.Add(of(container));
      uses.peak.Max(beside);
    } else {
      uses.lasting.Add(of(container));
    }
  }
  uses.peak.Max(uses.lasting);
  return uses;
}

// Only Guaranteed pods get exclusive CPUs and memory; pods with pod-level resources do not, but their devices count.
Pod PodOf(const cluster::Pod& pod);
// The same of a pod that is on a node: while it is resized in place, the most of what it may hold.
Pod PlacedPodOf(const cluster::Pod& pod);

}  // namespace huygens::kubelet
