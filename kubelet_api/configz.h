// How the kubelet of this node runs: the values in force, defaults filled in, flags and drop-in files merged, as it
// answers GET /configz. Only what decides which pods it admits, where they are pinned and what is left for them. Plain
// values; pure; any thread. Source: kubernetes, staging/src/k8s.io/kubelet/config/v1beta1 (KubeletConfiguration).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/quantity.h"
#include "base/status.h"
#include "machine/id_list.h"

namespace huygens::kubelet_api {

using Options = std::vector<std::pair<std::string, std::string>>;  // by name
using Amounts = std::vector<std::pair<std::string, Quantity>>;     // of resources, by name

// reservedMemory: what the memory manager keeps of a zone.
struct ReservedMemory {
  int zone = 0;
  Amounts limits;
  friend bool operator==(const ReservedMemory&, const ReservedMemory&) = default;
};

struct RunningConfiguration {
  std::string cpu_manager_policy = "none";  // none | static
  Options cpu_manager_options;
  std::string memory_manager_policy = "None";        // None | Static
  std::string topology_manager_policy = "none";      // none | best-effort | restricted | single-numa-node
  std::string topology_manager_scope = "container";  // container | pod
  Options topology_manager_options;
  // reservedSystemCPUs. Where it is given, kubelet itself puts their number into systemReserved.cpu and takes
  // kubeReserved.cpu out: the sum of both never counts beside it.
  std::optional<machine::Ids> reserved_cpus;
  Amounts system_reserved, kube_reserved;
  std::vector<ReservedMemory> reserved_memory;  // by zone
  Options eviction_hard;                        // signal -> amount or share: "memory.available" -> "100Mi"
  int64_t max_pods = 110;
  std::string cgroup_driver = "cgroupfs";  // cgroupfs | systemd
  std::string cgroup_root = "/";           // above the group of all pods
  bool cpu_quota = true;                   // cpuCFSQuota
  friend bool operator==(const RunningConfiguration&, const RunningConfiguration&) = default;

  bool PinsCpus() const { return cpu_manager_policy == "static"; }
};

// Of the body of the answer. InvalidArgument where it is none, naming the field; words that kubelet does not have are
// kept as they are. Fields that are not there have kubelet's defaults.
StatusOr<RunningConfiguration> DecodeConfigz(std::string_view json);

// What is reserved of a resource by systemReserved and kubeReserved together; of CPUs the number of reservedSystemCPUs
// where they are given. 0 if nothing is.
Quantity ReservedOf(const RunningConfiguration& configuration, std::string_view resource);

}  // namespace huygens::kubelet_api
