// The text of crane_cpu_manager_state, the file in which an agent remembers whom it gave which CPUs, in the format of
// kubelet's CPU manager, so that crane's tools read it:
//   {"policyName":"static","defaultCpuSet":"0-1,4","entries":{"<pod UID>":{"<container>":"2-3"}},"checksum":1234}
// Pure; any thread. Sources: kubernetes, pkg/kubelet/cm/cpumanager/state and pkg/kubelet/checkpointmanager/checksum.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/status.h"

namespace huygens::pinning {

struct StateText {
  std::string policy = "static";
  std::string default_cpus;                                           // of everybody who owns none
  std::map<std::string, std::map<std::string, std::string>> entries;  // pod UID -> container -> CPUs
  std::map<std::string, std::string> names;  // of pods by UID, beside kubelet's fields: not in the checksum
  friend bool operator==(const StateText&, const StateText&) = default;
};

// FNV-1a of the struct as Go prints it, which is what kubelet checks.
uint32_t Checksum(const StateText& state);
std::string EncodeState(const StateText& state);
// Fields that are not known are passed over; a checksum of 0 is not checked, as in kubelet. Errors say what is wrong,
// not where the text came from.
StatusOr<StateText> DecodeState(std::string_view json);

}  // namespace huygens::pinning
