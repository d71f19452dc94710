#include "kubelet/admission_state.h"

#include <algorithm>
#include <span>
#include <vector>

namespace huygens::kubelet {

AdmissionState::AdmissionState(const Machine& machine)
    : machine(machine), zones(machine.zones.size()), knows_cpus(machine.knows_free_cpus), layout(machine.layout) {
  if (machine.knows_free_cpus) free_cpus = machine.free_cpus;
  for (size_t z = 0; z < zones; ++z) {
    cpu_free[z] = std::max(machine.zones[z].cpu_free, 0);
    cpu_reusable[z] = 0;
    memory_blocks[z] = machine.zones[z].memory_blocks;
    memory_group[z] = machine.zones[z].memory_group;
  }
  for (const MemoryResource& row : machine.memory) {
    for (const MemoryResource::Zone& zone : row.zones) memory_free.push_back(std::max<int64_t>(zone.free, 0));
  }
  for (const DeviceResource& row : machine.devices) {
    device_offset.push_back(device_free.size());
    for (const DeviceGroup& group : row.groups) device_free.push_back(std::max(group.free, 0));
  }
  device_reusable.resize(device_free.size(), 0);
}

void AdmissionState::NeedCpus() {
  if (knows_cpus) return;
  knows_cpus = true;
  layout = machine.layout ? machine.layout : AssumedLayout(machine);
  const auto beside_reserved = [&](uint16_t cpu) { return layout->reserved_cores().Has(cpu); };
  std::vector<uint16_t> reserved_first;
  for (size_t z = 0; z < std::min(zones, layout->zones()); ++z) {
    std::span<const uint16_t> cpus = layout->InZoneByCore(z);
    if (!std::is_partitioned(cpus.begin(), cpus.end(), beside_reserved)) {
      reserved_first.assign(cpus.begin(), cpus.end());
      std::stable_partition(reserved_first.begin(), reserved_first.end(), beside_reserved);
      cpus = reserved_first;
    }
    size_t free = std::min(cpus.size(), static_cast<size_t>(cpu_free[z]));
    if (machine.options.full_cores_only) {
      // kubelet counts no CPU as free whose sibling is reserved. No pod is taken to hold one as long as it need not.
      const size_t reserved = static_cast<size_t>(machine.zones[z].cpu_capacity - machine.zones[z].cpu_allocatable);
      for (size_t i = reserved; i < cpus.size() && free > 0 && layout->reserved_cores().Has(cpus[i]); ++i, --free) {
        free_cpus.Add(cpus[i]);
      }
    }
    for (uint16_t cpu : cpus.last(free)) free_cpus.Add(cpu);
  }
}

void AdmissionState::TakeCpus(const CpuSet& cpus) {
  cpus.ForEach([&](size_t cpu) {
    const size_t zone = layout->cpus()[cpu].zone;
    if (free_cpus.Has(cpu)) --cpu_free[zone];
    if (reusable_cpus.Has(cpu)) --cpu_reusable[zone];
  });
  free_cpus -= cpus;
  reusable_cpus -= cpus;
}

int64_t AdmissionState::MemoryReusable(size_t row, ZoneMask mask) const {
  for (const Reusable& each : memory_reusable) {
    if (each.row == row && each.zones == mask) return each.bytes;
  }
  return 0;
}

bool AdmissionState::SameFree(const AdmissionState& other) const {
  for (size_t z = 0; z < zones; ++z) {
    if (cpu_free[z] != other.cpu_free[z] || cpu_reusable[z] != other.cpu_reusable[z] ||
        (memory_blocks[z] == 0) != (other.memory_blocks[z] == 0) || memory_group[z] != other.memory_group[z]) {
      return false;
    }
  }
  return memory_free == other.memory_free && memory_reusable == other.memory_reusable &&
         device_free == other.device_free && device_reusable == other.device_reusable &&
         knows_cpus == other.knows_cpus && free_cpus == other.free_cpus && reusable_cpus == other.reusable_cpus;
}

Allocation AdmissionState::Taken() const {
  Allocation charge;
  for (size_t z = 0; z < zones; ++z) {
    const Zone& before = machine.zones[z];
    Allocation::Zone zone{.zone = static_cast<uint8_t>(z),
                          .cpus = std::max(before.cpu_free, 0) - cpu_free[z],
                          .memory_blocks = memory_blocks[z] - before.memory_blocks};
    if (zone.memory_blocks > 0) {
      zone.group = memory_group[z];
      zone.group_before = before.memory_blocks > 0 ? before.memory_group : zone.group;
    }
    if (zone.cpus != 0 || zone.memory_blocks != 0) charge.zones.push_back(zone);
  }
  for (size_t row = 0; row < machine.memory.size(); ++row) {
    for (size_t z = 0; z < zones; ++z) {
      const int64_t bytes = std::max<int64_t>(machine.memory[row].zones[z].free, 0) - MemoryFree(row, z);
      if (bytes != 0) charge.memory.push_back({static_cast<uint8_t>(row), static_cast<uint8_t>(z), bytes});
    }
  }
  for (size_t row = 0; row < machine.devices.size(); ++row) {
    for (size_t g = 0; g < machine.devices[row].groups.size(); ++g) {
      const int count = std::max(machine.devices[row].groups[g].free, 0) - device_free[DeviceIndex(row, g)];
      if (count != 0) charge.devices.push_back({static_cast<uint16_t>(row), static_cast<uint16_t>(g), count});
    }
  }
  if (machine.knows_free_cpus) charge.cpus = machine.free_cpus - free_cpus;
  return charge;
}

}  // namespace huygens::kubelet
