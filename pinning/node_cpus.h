// The CPUs of a node as far as pods may be pinned to them: the machine as its kernel tells it, less what is offline,
// isolated, of no zone or reserved. Immutable; any thread.
//
// Isolated CPUs (isolcpus) are left out of every set: the kernel moves no thread between them, so that all threads of a
// container would stay on the first. CPUs that no zone claims are left out, too: kubelet does not know them.
#pragma once

#include <string>
#include <vector>

#include "machine/machine.h"
#include "pinning/cpu_set.h"

namespace huygens::pinning {

struct ZoneCpus {
  int id = 0;
  bool has_memory = false;
  CpuSet assignable;          // what pods can own
  CpuSet shared;              // these and the reserved ones
  std::vector<CpuSet> cores;  // the assignable CPUs of each core, by their lowest; none is empty
  int threads = 0;            // of a full core, the largest there is; 0: no CPUs
};

struct NodeCpus {
  std::vector<ZoneCpus> zones;  // by id
  CpuSet online;
  CpuSet assignable;
  CpuSet shared;    // where those run who own nothing: `assignable` and `reserved`
  CpuSet reserved;  // of these, what kubelet keeps for the system

  const ZoneCpus* Zone(int id) const;  // null: the machine has no such zone
};

// `reserved`: ids of the CPUs that kubelet keeps for the system; unknown ones do not count.
NodeCpus MakeNodeCpus(const machine::Machine& machine, const machine::Ids& reserved);

// The zones in whose memory a container with CPUs in `zones` may keep its own: those of them that have any. Empty where
// none has.
machine::Ids MemoryZones(const NodeCpus& node, const machine::Ids& zones);

}  // namespace huygens::pinning
