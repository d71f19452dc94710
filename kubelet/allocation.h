// What kubelet's managers do with a container once its affinity is settled: take devices, CPUs and memory, or refuse.
// Each changes the state and adds to the placement. Not part of the room's interface.
// Source: kubernetes, pkg/kubelet/cm: Allocate of cpumanager/policy_static.go, memorymanager/policy_static.go and
// devicemanager/manager.go
#pragma once

#include "kubelet/merge.h"

namespace huygens::kubelet {

Admission AllocateDevices(AdmissionState& state, const Container& container, const Affinity& affinity,
                          ContainerPlacement& placement);
Admission AllocateCpus(AdmissionState& state, const Pod& pod, const Container& container, const Affinity& affinity,
                       int& shares_steps, ContainerPlacement& placement);
Admission AllocateMemory(AdmissionState& state, const Container& container, const Affinity& affinity, int& steps,
                         ContainerPlacement& placement);

}  // namespace huygens::kubelet
