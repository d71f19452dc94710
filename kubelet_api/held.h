// What pods really hold of what kubelet pins: its state files joined with its pods. Pure; any thread.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "kubelet_api/pods.h"
#include "kubelet_api/state_files.h"
#include "machine/id_list.h"

namespace huygens::kubelet_api {

// CPUs that pods own, by UID: of those that have not ended, all of their containers together. An init container that
// has ended holds its CPUs until its pod ends. Pods that own none are left out.
std::map<std::string, machine::Ids> OwnedCpus(const CpuManagerState& state, const std::vector<Pod>& pods);

// The state once kubelet has dropped the pods that have ended or are gone, as it does before it admits the next.
MemoryManagerState WithoutEnded(MemoryManagerState state, const std::vector<Pod>& pods);

}  // namespace huygens::kubelet_api
