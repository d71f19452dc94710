// Which CPUs kubelet's static CPU manager takes of those available. Pure; any thread.
// Source: kubernetes, pkg/kubelet/cm/cpumanager/cpu_assignment.go
#pragma once

#include <optional>

#include "kubelet/machine.h"

namespace huygens::kubelet {

// `count` of `available`: whole sockets and zones, then whole cores, then single CPUs, everywhere from where the fewest
// are left. Nothing if it cannot be done.
std::optional<CpuSet> TakePacked(const CpuLayout& layout, const CpuSet& available, int count, const Options& options);

// Evenly across as few zones as can do it, in such a way that what is left is as even as can be; packed where no zones
// can. Each combination of zones is tried as long as there are `steps`; packed beyond that.
std::optional<CpuSet> TakeDistributed(const CpuLayout& layout, const CpuSet& available, int count,
                                      const Options& options, int& steps);

// The zones with available CPUs, in the order in which kubelet takes from them.
absl::InlinedVector<size_t, 8> ZonesByAvailable(const CpuLayout& layout, const CpuSet& available);

}  // namespace huygens::kubelet
