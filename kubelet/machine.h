// A node whose kubelet pins: how kubelet is configured, what its zones have and what is free of it. CPU in whole
// logical CPUs, memory and hugepages in bytes, devices in numbers. Zones are ordered by id and addressed by position
// (topology/zone_mask.h); at most 64. Plain value; free amounts may be negative after charges (they count as 0).
//
// Counts per zone decide nearly everything. What they cannot say may be given besides: the cores (`layout`; else the
// CPUs of a zone are taken to be numbered one after the other), which CPUs are free (`free_cpus`; else whole cores, the
// last of each zone), and devices of several zones (a DeviceGroup each; else a device counts for one zone).
// Source: kubernetes, pkg/kubelet/cm/{topologymanager,cpumanager,memorymanager,devicemanager}
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "base/resource.h"
#include "kubelet/options.h"
#include "topology/cpus.h"
#include "topology/zone_mask.h"

namespace huygens::kubelet {

using topology::AllZones;
using topology::CountZones;
using topology::CpuLayout;
using topology::CpuSet;
using topology::LogicalCpu;
using topology::ZoneBit;
using topology::ZoneMask;
using topology::ZonesIn;

// One resource of the memory manager (memory, hugepages-*), per zone.
struct MemoryResource {
  struct Zone {
    int64_t allocatable = 0;
    int64_t free = 0;  // at most what is allocatable
    friend bool operator==(const Zone&, const Zone&) = default;
  };
  ResourceId resource = kMemory;
  std::vector<Zone> zones;  // by position
  friend bool operator==(const MemoryResource&, const MemoryResource&) = default;
};

// Devices of one resource with the same zones.
struct DeviceGroup {
  ZoneMask zones = 0;  // 0: no zone known
  int total = 0;       // unhealthy and held ones included
  int free = 0;        // healthy and not held
  friend bool operator==(const DeviceGroup&, const DeviceGroup&) = default;
};

// One resource of the device manager. Devices are taken from the groups in this order where kubelet leaves the choice
// to the device plugin.
struct DeviceResource {
  ResourceId resource = 0;
  int healthy = 0;  // of all groups, held ones included
  std::vector<DeviceGroup> groups;
  friend bool operator==(const DeviceResource&, const DeviceResource&) = default;
};

struct Zone {
  int id = -1;
  int socket = -1;          // -1: unknown
  int cpu_capacity = 0;     // reserved CPUs included
  int cpu_allocatable = 0;  // without reserved CPUs
  int cpu_free = 0;         // neither reserved nor held exclusively
  int memory_blocks = 0;    // number of memory blocks held that touch this zone; all that counts is whether it is 0
  // Zones that share multi-zone memory with this one, itself included; itself alone if it shares none.
  ZoneMask memory_group = 0;
  friend bool operator==(const Zone&, const Zone&) = default;
};

struct Machine {
  Options options;
  std::vector<Zone> zones;                  // ordered by id
  std::vector<MemoryResource> memory;       // ordered by resource
  std::vector<DeviceResource> devices;      // ordered by resource
  std::vector<int> distance;                // from each zone to each, row by row; empty = unknown
  std::shared_ptr<const CpuLayout> layout;  // null: assumed anew in each prediction that needs it
  bool knows_free_cpus = false;             // needs a layout
  CpuSet free_cpus;                         // if known: neither reserved nor held exclusively
  friend bool operator==(const Machine&, const Machine&) = default;
};

// The number of the socket of a zone whose socket is not known.
int SocketOfItsOwn(size_t zone);

// The layout of a machine as far as it is known: its cores where `cpus` are listed (published.h, ListedCpus),
// else what the counts let assume, consecutive ids in each zone and siblings side by side. Reserved CPUs are the first
// cores of their zone, as where kubelet chooses them, unless `reserved` lists them; a zone without a known socket is its
// own. Costs some microseconds; worth keeping.
std::shared_ptr<const CpuLayout> AssumedLayout(const Machine& machine, std::vector<LogicalCpu> cpus = {},
                                               std::vector<int> reserved = {});

// Gives machines of the same make one assumed layout. One thread.
class AssumedLayouts {
 public:
  std::shared_ptr<const CpuLayout> Of(const Machine& machine, std::vector<LogicalCpu> cpus = {},
                                      std::vector<int> reserved = {});

 private:
  std::map<std::vector<int>, std::weak_ptr<const CpuLayout>> layouts_;  // by what they are made from
};

// What a pod takes of a machine, by position. A charge from a prediction holds for machines with the same zones and
// resources in the same order.
struct Allocation {
  struct Zone {
    uint8_t zone = 0;
    int cpus = 0;
    int memory_blocks = 0;
    ZoneMask group = 0;         // memory group of the zone from now on
    ZoneMask group_before = 0;  // the one that memory held before had put it in; `group` if there was none
    friend bool operator==(const Zone&, const Zone&) = default;
  };
  struct Memory {
    uint8_t row = 0;  // of Machine::memory
    uint8_t zone = 0;
    int64_t bytes = 0;
    friend bool operator==(const Memory&, const Memory&) = default;
  };
  struct Devices {
    uint16_t row = 0;  // of Machine::devices
    uint16_t group = 0;
    int count = 0;
    friend bool operator==(const Devices&, const Devices&) = default;
  };
  absl::InlinedVector<Zone, 2> zones;       // ordered by zone
  absl::InlinedVector<Memory, 2> memory;    // ordered by row, zone
  absl::InlinedVector<Devices, 1> devices;  // ordered by row, group
  CpuSet cpus;                              // only where the machine knows its free CPUs

  bool empty() const { return zones.empty() && memory.empty() && devices.empty(); }
  friend bool operator==(const Allocation&, const Allocation&) = default;
};

}  // namespace huygens::kubelet
