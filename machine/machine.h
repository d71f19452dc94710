// A machine as its kernel describes it in /sys/devices/system and /proc/meminfo: CPUs, cores, caches, zones (NUMA nodes)
// with memory, huge pages and distances. What others make of it, such as kubelet, is not here. Ids are the kernel's, may
// have gaps, and lists of them ascend. Memory is in kB of 1024 bytes. What a kernel does not tell stays unset or empty: a file that is not there, or one
// that is empty.
//
// Rules: zones are the folders node/nodeN. A zone's CPUs are those of its list that are online, and so are the CPUs of a
// core. Where no node folder is there (kernels without NUMA), one zone with id 0 has all that is online, the memory of
// /proc/meminfo and the huge pages of /sys/kernel/mm. Sources: Linux, Documentation/ABI/stable/sysfs-devices-node,
// Documentation/ABI/testing/sysfs-devices-system-cpu, Documentation/admin-guide/cputopology.rst.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "machine/id_list.h"

namespace huygens::machine {

struct Core {
  Ids cpus;  // online, at least one
  std::optional<int64_t> package;
  friend bool operator==(const Core&, const Core&) = default;
};

// One cache that all of `cpus` share. Each is listed once, in order of the lowest CPU, then of level and type.
struct Cache {
  int64_t level = 0;
  std::string type;  // "Data", "Instruction", "Unified"; "" if unknown
  std::optional<int64_t> kb;
  Ids cpus;  // online, at least one
  friend bool operator==(const Cache&, const Cache&) = default;
};

struct HugePages {
  int64_t page_kb = 0;
  int64_t count = 0;
  std::optional<int64_t> free;
  friend bool operator==(const HugePages&, const HugePages&) = default;
};

struct Zone {
  int id = 0;
  Ids claimed;  // the online CPUs that the kernel lists for it
  Ids cpus;     // those of them that no zone with a lower id claims
  std::optional<int64_t> memory_kb;
  std::vector<HugePages> huge_pages;  // by page size
  // Column k belongs to the k-th zone of the machine, not to the zone with id k. Where a node is offline the kernel may
  // tell more columns than there are zones.
  std::vector<int64_t> distances;
  std::optional<int64_t> memory_tier;  // lower is faster; kernels from 6.1 on
  friend bool operator==(const Zone&, const Zone&) = default;
};

struct Machine {
  Ids present;                      // there, though perhaps offline
  Ids online;                       // at least one
  Ids isolated;                     // kept out of the kernel's balancing (isolcpus)
  std::vector<Core> cores;          // by their lowest CPU; each online CPU is in exactly one
  std::map<int64_t, Ids> packages;  // online CPUs by physical package (socket), as far as the kernel tells
  std::vector<Cache> caches;
  std::vector<Zone> zones;  // by id, at least one
  Ids without_zone;         // online CPUs that no zone claims: their node is offline
  // What contradicts itself, in sentences for people.
  std::vector<std::string> notices;
  friend bool operator==(const Machine&, const Machine&) = default;
};

// `root`: the folder that holds sys/ and proc/, "/" for this machine. NotFound where that is no machine,
// InvalidArgument for a file that cannot be understood; both name it. A file of a cache that cannot be read is a notice
// that names it, and no caches are told. Opens some ten files for each CPU.
StatusOr<Machine> ReadMachine(const std::string& root);

}  // namespace huygens::machine
