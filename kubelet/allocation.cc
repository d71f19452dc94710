#include "kubelet/allocation.h"

#include <algorithm>
#include <numeric>

#include "kubelet/cpu_assignment.h"

namespace huygens::kubelet {

namespace {

using Kind = Container::Kind;

// --- Devices

// Moves up to `count` devices from what is free (or reusable), in order of the groups, to `taken`; only those that
// `suits(zones)`. Returns how many are missing.
template <typename Suits>
int TakeDevices(absl::InlinedVector<int, 16>& from, size_t first, const DeviceResource& row, int count, Suits suits,
                std::span<int> taken) {
  for (size_t g = 0; g < row.groups.size() && count > 0; ++g) {
    if (!suits(row.groups[g].zones)) continue;
    const int part = std::min(count, from[first + g]);
    from[first + g] -= part;
    taken[g] += part;
    count -= part;
  }
  return count;
}

bool AllocateDevice(AdmissionState& state, size_t r, int count, Kind kind, const Affinity& affinity,
                    ContainerPlacement& placement) {
  const DeviceResource& row = state.machine.devices[r];
  const size_t first = state.DeviceIndex(r, 0);
  // Without any device, too, where its plugin has registered; but that cannot be told from a resource without a plugin.
  if (row.healthy == 0) return count == 0 && row.groups.empty();
  absl::InlinedVector<int, 8> taken(row.groups.size(), 0);
  auto any = [](ZoneMask) { return true; };
  int missing = TakeDevices(state.device_reusable, first, row, count, any, taken);
  const int free =
      std::accumulate(state.device_free.begin() + static_cast<std::ptrdiff_t>(first),
                      state.device_free.begin() + static_cast<std::ptrdiff_t>(first + row.groups.size()), 0);
  if (free < missing) return false;
  if (affinity.zones) {
    auto aligned = [&](ZoneMask zones) { return (zones & *affinity.zones) != 0; };
    missing = TakeDevices(state.device_free, first, row, missing, aligned, taken);
  }
  (void)TakeDevices(state.device_free, first, row, missing, any, taken);
  for (size_t g = 0; g < taken.size(); ++g) {
    if (taken[g] == 0) continue;
    placement.devices.push_back({static_cast<uint16_t>(r), static_cast<uint16_t>(g), taken[g]});
    if (kind == Kind::kInit) state.device_reusable[first + g] += taken[g];
  }
  return true;
}

// --- CPU

CpuSet InZones(const CpuLayout& layout, ZoneMask mask, bool by_socket) {
  CpuSet zones, sockets;
  for (size_t zone : ZonesIn{mask}) {
    if (zone < layout.zones()) zones |= layout.InZone(zone);
  }
  if (!by_socket) return zones;
  for (size_t s = 0; s < layout.sockets(); ++s) {
    if (layout.InSocket(s).CountIn(zones) > 0) sockets |= layout.InSocket(s);
  }
  return sockets;
}

std::optional<CpuSet> ChooseCpus(const AdmissionState& state, int count, const Affinity& affinity, int& steps) {
  const Options& options = state.machine.options;
  const CpuLayout& layout = *state.layout;
  auto take = [&](const CpuSet& available, int n) {
    return options.distribute_across_zones ? TakeDistributed(layout, available, n, options, steps)
                                           : TakePacked(layout, available, n, options);
  };
  const CpuSet available = state.free_cpus | state.reusable_cpus;
  CpuSet taken;
  if (affinity.zones) {
    const CpuSet aligned = available & InZones(layout, *affinity.zones, options.align_by_socket);
    const auto cpus = take(aligned, std::min(count, aligned.Count()));
    if (!cpus) return std::nullopt;
    taken = *cpus;
    if (taken.Count() == count) return taken;
  }
  const auto cpus = take(available - taken, count - taken.Count());
  if (!cpus) return std::nullopt;
  return taken |= *cpus;
}

bool WholeCores(const AdmissionState& state, int count) {
  const int threads = state.layout->cpus_per_core();
  return threads > 0 && count % threads == 0 && count <= (state.free_cpus - state.layout->reserved_cores()).Count();
}

// --- Memory

// The best hint of memory alone: preferred if there is one, then the fewest zones, then the lowest.
Affinity BestMemoryHint(const AdmissionState& state, const ResourceVector& memory, ZoneMask must, int& steps) {
  const ResourceHints hints = MemoryHints(state, memory, steps);
  const int zones = static_cast<int>(state.zones);
  for (int width = std::max({hints.width, CountZones(must), 1}); width <= zones; ++width) {
    if (auto mask = FindCommonMask(state, {&hints, 1}, width, must, {}, steps).mask) {
      return {mask, width == hints.width};
    }
  }
  return {};
}

bool HoldsMemory(const AdmissionState& state, const ResourceVector& memory, ZoneMask mask) {
  for (size_t row = 0; row < state.machine.memory.size(); ++row) {
    int64_t free = 0;
    for (size_t zone : ZonesIn{mask}) free += state.MemoryFree(row, zone);
    if (free < memory.Get(state.machine.memory[row].resource)) return false;
  }
  return true;
}

// A zone cannot have both memory of its own and memory shared with others, nor be of two groups.
bool BreaksGroups(const AdmissionState& state, ZoneMask mask) {
  if (CountZones(mask) == 1) return false;
  for (size_t zone : ZonesIn{mask}) {
    if (state.memory_blocks[zone] > 0 && state.memory_group[zone] != mask) return true;
  }
  return false;
}

// The zones to take memory from: the affinity, or where that does not hold the request the best hint that includes it.
std::optional<ZoneMask> MemoryZones(const AdmissionState& state, const ResourceVector& memory, const Affinity& affinity,
                                    int& steps) {
  Affinity chosen = affinity;
  if (!chosen.zones) {
    chosen = BestMemoryHint(state, memory, 0, steps);
    if (!chosen.zones || (affinity.preferred && !chosen.preferred)) return std::nullopt;
  }
  if (!HoldsMemory(state, memory, *chosen.zones)) {
    const Affinity extended = BestMemoryHint(state, memory, *chosen.zones, steps);
    if (!extended.zones || (chosen.preferred && !extended.preferred)) return std::nullopt;
    chosen = extended;
  }
  if (BreaksGroups(state, *chosen.zones)) return std::nullopt;
  return chosen.zones;
}

// Takes memory from the zones in ascending order, all of a zone's first.
void TakeMemory(AdmissionState& state, size_t row, ZoneMask mask, int64_t bytes) {
  for (size_t zone : ZonesIn{mask}) {
    ++state.memory_blocks[zone];
    state.memory_group[zone] = mask;
    const int64_t part = std::min(bytes, state.MemoryFree(row, zone));
    state.MemoryFree(row, zone) -= part;
    bytes -= part;
  }
}

void NoteReuse(AdmissionState& state, size_t row, ZoneMask mask, int64_t bytes, bool init) {
  auto found = std::find_if(state.memory_reusable.begin(), state.memory_reusable.end(),
                            [&](const auto& each) { return each.row == row && each.zones == mask; });
  if (found != state.memory_reusable.end()) {
    found->bytes = init ? std::max(found->bytes, bytes) : std::max<int64_t>(found->bytes - bytes, 0);
  } else if (init) {
    state.memory_reusable.push_back({mask, row, bytes});
  }
}

}  // namespace

Admission AllocateDevices(AdmissionState& state, const Container& container, const Affinity& affinity,
                          ContainerPlacement& placement) {
  for (size_t row = 0; row < state.machine.devices.size(); ++row) {
    const ResourceId resource = state.machine.devices[row].resource;
    if (!container.devices.Has(resource)) continue;
    const auto count = static_cast<int>(std::min<int64_t>(container.devices.Get(resource), 1 << 30));
    if (!AllocateDevice(state, row, count, container.kind, affinity, placement)) {
      return Admission::kUnexpectedAdmissionError;
    }
  }
  return Admission::kAdmitted;
}

Admission AllocateCpus(AdmissionState& state, const Pod& pod, const Container& container, const Affinity& affinity,
                       int& shares_steps, ContainerPlacement& placement) {
  const Options& options = state.machine.options;
  const int count = container.cpus;
  if (!options.static_cpus || count == 0) return Admission::kAdmitted;
  // One zone that suffices, nothing to reuse, no option that looks at cores: counts will do.
  if (!state.knows_cpus && affinity.zones && CountZones(*affinity.zones) == 1 && !options.full_cores_only &&
      !options.align_by_socket && !pod.reuses_cpus) {
    const auto zone = static_cast<size_t>(std::countr_zero(*affinity.zones));
    if (state.cpu_free[zone] >= count) {
      state.cpu_free[zone] -= count;
      placement.cpus.push_back({static_cast<uint8_t>(zone), count});
      return Admission::kAdmitted;
    }
  }
  state.NeedCpus();
  if (options.full_cores_only && !WholeCores(state, count)) return Admission::kSmtAlignmentError;
  const auto cpus = ChooseCpus(state, count, affinity, shares_steps);
  if (!cpus) return Admission::kUnexpectedAdmissionError;
  state.TakeCpus(*cpus);
  std::array<int, 64> by_zone{};
  cpus->ForEach([&](size_t cpu) {
    const size_t zone = state.layout->cpus()[cpu].zone;
    ++by_zone[zone];
    if (container.kind == Kind::kInit) ++state.cpu_reusable[zone];
  });
  if (container.kind == Kind::kInit) state.reusable_cpus |= *cpus;
  for (size_t zone = 0; zone < state.zones; ++zone) {
    if (by_zone[zone] > 0) placement.cpus.push_back({static_cast<uint8_t>(zone), by_zone[zone]});
  }
  if (state.machine.knows_free_cpus) placement.cpu_set = *cpus;
  return Admission::kAdmitted;
}

Admission AllocateMemory(AdmissionState& state, const Container& container, const Affinity& affinity, int& steps,
                         ContainerPlacement& placement) {
  if (!state.machine.options.static_memory || container.memory.empty()) return Admission::kAdmitted;
  const std::optional<ZoneMask> zones = MemoryZones(state, container.memory, affinity, steps);
  if (!zones) return Admission::kUnexpectedAdmissionError;
  for (size_t row = 0; row < state.machine.memory.size(); ++row) {
    const ResourceId resource = state.machine.memory[row].resource;
    if (!container.memory.Has(resource)) continue;
    const int64_t bytes = container.memory.Get(resource);
    TakeMemory(state, row, *zones, std::max<int64_t>(bytes - state.MemoryReusable(row, *zones), 0));
    NoteReuse(state, row, *zones, bytes, container.kind == Kind::kInit);
    placement.memory.push_back({static_cast<uint8_t>(row), bytes, *zones});
  }
  return Admission::kAdmitted;
}

}  // namespace huygens::kubelet
