// Where kubelet has put a pod, as the annotation huygens.dev/kubelet-placement says it. Pure; any thread.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "kubelet_api/kubelet_machine.h"
#include "kubelet_api/pods.h"
#include "kubelet_api/state_files.h"

namespace huygens::publish {

inline constexpr std::string_view kKubeletPlacement = "huygens.dev/kubelet-placement";

// The value of the annotation for each pod that owns anything, by UID:
//   {"uid":"...","node":"n1","zones":[{"name":"node0","type":"Node","attributes":{"cpus":"2,10"},
//                                      "resources":{"capacity":{"cpu":"2","memory":"1073741824"}}}]}
// `zones` is a list as in topology.crane.io/topology-result. Memory that a container has of several zones together is
// left out: kubelet does not remember how much each gave. `memory` null: the memory manager gives none.
std::map<std::string, std::string> KubeletPlacements(std::string_view node, const kubelet_api::KubeletMachine& machine,
                                                     const std::vector<kubelet_api::Pod>& pods,
                                                     const kubelet_api::CpuManagerState& cpus,
                                                     const kubelet_api::MemoryManagerState* memory);

}  // namespace huygens::publish
