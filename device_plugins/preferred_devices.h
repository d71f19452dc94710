// Which devices a container should get of those that kubelet has left: what GetPreferredAllocation answers. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "device_plugins/device_source.h"

namespace huygens::device_plugins {

// By text, with runs of digits by their value: dev2 before dev10.
bool InNaturalOrder(std::string_view a, std::string_view b);

// `size` of `available`, `must` first. Then those of the zones that `wanted` names; of them, and of the rest, by fewest
// zones (those of `must` are there anyway), then by the lowest zone, then by the lowest id. Devices without a zone come
// last. Fewer where there are not as many; `must` alone where it is `size` or more.
std::vector<std::string> PreferredDevices(std::span<const Device> available, std::span<const std::string> must,
                                          size_t size, std::span<const int> wanted);

// What is known of a pod that waits on this node: for which zones huygens bound it, and how many of the resource its
// containers ask for.
struct WaitingPod {
  std::vector<int> zones;       // of topology.crane.io/topology-result; none: huygens chose no zones
  std::vector<int64_t> counts;  // of each container that asks for some
  std::string seen;             // when kubelet saw it first, as text that sorts by time
};

// The zones for a container that asks for `count`: kubelet does not say whose it is. The pod that kubelet saw last of
// those with such a container is the one that it admits now. None where two of them that differ were seen last.
std::vector<int> ZonesOfAsking(std::span<const WaitingPod> pods, int64_t count);

}  // namespace huygens::device_plugins
