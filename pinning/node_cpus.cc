#include "pinning/node_cpus.h"

#include <algorithm>

namespace huygens::pinning {

const ZoneCpus* NodeCpus::Zone(int id) const {
  const auto at = std::ranges::lower_bound(zones, id, {}, &ZoneCpus::id);
  return at != zones.end() && at->id == id ? &*at : nullptr;
}

NodeCpus MakeNodeCpus(const machine::Machine& machine, const machine::Ids& reserved) {
  NodeCpus node;
  node.online = SetOf(machine.online);
  const CpuSet isolated = SetOf(machine.isolated), kept = SetOf(reserved);
  for (const machine::Zone& each : machine.zones) {
    ZoneCpus zone;
    zone.id = each.id;
    zone.has_memory = !each.memory_kb || *each.memory_kb > 0;
    zone.shared = (SetOf(each.cpus) & node.online) - isolated;
    zone.assignable = zone.shared - kept;
    for (const machine::Core& core : machine.cores) {
      CpuSet cpus = SetOf(core.cpus) & zone.assignable;
      if (cpus.empty()) continue;
      zone.threads = std::max(zone.threads, cpus.Count());
      zone.cores.push_back(std::move(cpus));
    }
    node.shared |= zone.shared;
    node.assignable |= zone.assignable;
    node.zones.push_back(std::move(zone));
  }
  node.reserved = node.shared & kept;
  return node;
}

machine::Ids MemoryZones(const NodeCpus& node, const machine::Ids& zones) {
  machine::Ids with_memory;
  for (const int id : zones) {
    const ZoneCpus* zone = node.Zone(id);
    if (zone != nullptr && zone->has_memory) with_memory.push_back(id);
  }
  return with_memory;
}

}  // namespace huygens::pinning
