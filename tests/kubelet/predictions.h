// What a prediction says, in kubelet's word and as a change of the machine.
#pragma once

#include <string_view>

#include "kubelet/admission.h"

namespace huygens::kubelet {

// As in the pod's status.reason.
inline std::string_view Text(Admission admission) {
  switch (admission) {
    case Admission::kAdmitted:
      return "";
    case Admission::kTopologyAffinityError:
      return "TopologyAffinityError";
    case Admission::kSmtAlignmentError:
      return "SMTAlignmentError";
    case Admission::kUnexpectedAdmissionError:
      return "UnexpectedAdmissionError";
  }
  return "";
}

inline void Take(Machine& machine, const Allocation& charge, int sign) {
  for (const Allocation::Zone& each : charge.zones) {
    machine.zones[each.zone].cpu_free -= sign * each.cpus;
    machine.zones[each.zone].memory_blocks += sign * each.memory_blocks;
  }
  for (const Allocation::Memory& each : charge.memory) {
    machine.memory[each.row].zones[each.zone].free -= sign * each.bytes;
  }
  for (const Allocation::Devices& each : charge.devices) {
    machine.devices[each.row].groups[each.group].free -= sign * each.count;
  }
}

// Takes the charge from what is free, or gives it back. Charge, then Discharge leaves the machine as it was; several
// charges may be given back in any order (memory groups stay as long as a block holds them).
inline void Charge(Machine& machine, const Allocation& charge) {
  Take(machine, charge, 1);
  machine.free_cpus -= charge.cpus;
  for (const Allocation::Zone& each : charge.zones) {
    if (each.memory_blocks > 0) machine.zones[each.zone].memory_group = each.group;
  }
}

inline void Discharge(Machine& machine, const Allocation& charge) {
  Take(machine, charge, -1);
  machine.free_cpus |= charge.cpus;
  for (const Allocation::Zone& each : charge.zones) {
    Zone& zone = machine.zones[each.zone];
    if (each.memory_blocks == 0) continue;
    if (zone.memory_blocks == 0) {
      zone.memory_group = ZoneBit(each.zone);
    } else if (zone.memory_group == each.group) {
      zone.memory_group = each.group_before;
    }
  }
}

}  // namespace huygens::kubelet
