// What kubelet remembers of its pinning, in files of its root folder that this program only reads: cpu_manager_state and
// memory_manager_state. They are not what runs: they keep pods that ended until the next one is admitted, init
// containers that ended, and for moments pods that were refused right after (see held.h). Plain values; pure; any
// thread. Source: kubernetes, pkg/kubelet/cm/{cpumanager,memorymanager}/state and pkg/kubelet/checkpointmanager.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "machine/id_list.h"

namespace huygens::kubelet_api {

inline constexpr std::string_view kCpuManagerState = "cpu_manager_state";
inline constexpr std::string_view kMemoryManagerState = "memory_manager_state";

struct CpuManagerState {
  std::string policy;
  machine::Ids shared;                                               // defaultCpuSet: of whoever has none of his own
  std::map<std::string, std::map<std::string, machine::Ids>> owned;  // pod UID -> container -> CPUs
  friend bool operator==(const CpuManagerState&, const CpuManagerState&) = default;
};

// Bytes that a container has of one resource, from these zones together.
struct MemoryBlock {
  std::vector<int> zones;
  std::string resource;  // memory, hugepages-2Mi
  int64_t bytes = 0;
  friend bool operator==(const MemoryBlock&, const MemoryBlock&) = default;
};

struct MemoryManagerState {
  struct Amounts {
    int64_t total = 0, system_reserved = 0, allocatable = 0, reserved = 0, free = 0;
    friend bool operator==(const Amounts&, const Amounts&) = default;
  };
  struct Zone {
    int64_t assignments = 0;
    std::map<std::string, Amounts> amounts;  // by resource
    std::vector<int> group;                  // cells: zones that it gives memory together with, itself among them
    friend bool operator==(const Zone&, const Zone&) = default;
  };
  std::string policy;
  std::map<int, Zone> zones;
  std::map<std::string, std::map<std::string, std::vector<MemoryBlock>>> owned;  // pod UID -> container
  friend bool operator==(const MemoryManagerState&, const MemoryManagerState&) = default;
};

// Unavailable where the checksum does not fit: kubelet is writing, read again. A checksum of 0 is not checked, as in
// kubelet; nor is that of a file with fields that are not known, which it would be about. InvalidArgument otherwise.
StatusOr<CpuManagerState> DecodeCpuManagerState(std::string_view json);
StatusOr<MemoryManagerState> DecodeMemoryManagerState(std::string_view json);

}  // namespace huygens::kubelet_api
