#include "kubelet/hints.h"

#include <algorithm>

namespace huygens::kubelet {

namespace {

using Kind = ResourceHints::Kind;

bool InSeveralZones(const DeviceResource& row) {
  return std::any_of(row.groups.begin(), row.groups.end(),
                     [](const DeviceGroup& group) { return CountZones(group.zones) > 1; });
}

// --- CPU

int SocketsIn(const AdmissionState& state, ZoneMask mask) {
  if (state.layout) {
    const std::span<const ZoneMask> sockets = state.layout->zones_of_sockets();
    return static_cast<int>(
        std::count_if(sockets.begin(), sockets.end(), [&](ZoneMask zones) { return (zones & mask) != 0; }));
  }
  absl::InlinedVector<int, 16> sockets;
  for (size_t zone : ZonesIn{mask}) {
    const int known = state.machine.zones[zone].socket;
    const int socket = known >= 0 ? known : -1 - static_cast<int>(zone);
    if (std::find(sockets.begin(), sockets.end(), socket) == sockets.end()) sockets.push_back(socket);
  }
  return static_cast<int>(sockets.size());
}

int AlignedSockets(const AdmissionState& state, const ResourceHints& hints) {
  const int sockets = SocketsIn(state, hints.universe);
  const int zones_per_socket = sockets == 0 ? 0 : CountZones(hints.universe) / sockets;
  return zones_per_socket == 0 ? 0 : (hints.width + zones_per_socket - 1) / zones_per_socket;
}

void AddCpus(const AdmissionState& state, int cpus, HintSet& set) {
  if (!state.machine.options.static_cpus || cpus == 0) return;
  ResourceHints hints{.kind = Kind::kCpus, .need = cpus};
  std::array<int64_t, 64> capacity;
  int64_t total = 0;
  for (size_t z = 0; z < state.zones; ++z) {
    capacity[z] = state.machine.zones[z].cpu_capacity;
    hints.amounts[z] = state.cpu_free[z] + state.cpu_reusable[z];
    total += hints.amounts[z];
    if (capacity[z] > 0) hints.universe |= ZoneBit(z);
    if (state.cpu_reusable[z] > 0) hints.must |= ZoneBit(z);
  }
  const ZoneSum by_capacity{capacity, cpus};
  hints.width = LeastWidth(hints.universe, {&by_capacity, 1}).value_or(CountZones(hints.universe));
  if (state.machine.options.align_by_socket) hints.sockets = AlignedSockets(state, hints);
  if (total < cpus) set.impossible = true;
  set.resources.push_back(hints);
}

// --- Memory

// Zones that a mask of this width may be made of, masks that are a group already aside: single-zone allocations avoid
// groups, others avoid all zones in use.
ZoneMask MemoryUniverse(const AdmissionState& state, int width) {
  ZoneMask mask = 0;
  for (size_t z = 0; z < state.zones; ++z) {
    const bool alone = CountZones(state.memory_group[z]) == 1;
    if (width == 1 ? alone : state.memory_blocks[z] == 0) mask |= ZoneBit(z);
  }
  return mask;
}

bool MemoryFeasible(const AdmissionState& state, const ResourceHints& hints, ZoneMask mask) {
  const bool single = CountZones(mask) == 1;
  for (size_t z : ZonesIn{mask}) {
    if (single ? CountZones(state.memory_group[z]) > 1 : state.memory_blocks[z] > 0 && state.memory_group[z] != mask) {
      return false;
    }
  }
  // Kubelet also asks that as much be allocatable; it always is where it is free.
  return std::all_of(hints.memory.begin(), hints.memory.end(), [&](const ResourceHints::MemoryNeed& need) {
    int64_t free = state.MemoryReusable(need.row, mask);
    for (size_t z : ZonesIn{mask}) free += state.MemoryFree(need.row, z);
    return free >= need.bytes;
  });
}

// Masks that MemoryUniverse does not yield although they may be feasible: groups, and what may be reused.
template <typename Visit>
void ForEachSpecialMask(const AdmissionState& state, Visit visit) {
  for (size_t z = 0; z < state.zones; ++z) {
    const ZoneMask group = state.memory_group[z];
    if (state.memory_blocks[z] > 0 && CountZones(group) > 1 && static_cast<size_t>(std::countr_zero(group)) == z) {
      visit(group);
    }
  }
  for (const AdmissionState::Reusable& each : state.memory_reusable) visit(each.zones);
}

int MemoryWidth(const AdmissionState& state, const ResourceHints& hints, int& steps) {
  absl::InlinedVector<std::array<int64_t, 64>, 2> allocatable(hints.memory.size());
  MaskQuery query{.universe = hints.universe};
  for (size_t i = 0; i < hints.memory.size(); ++i) {
    const auto& zones = state.machine.memory[hints.memory[i].row].zones;
    for (size_t z = 0; z < state.zones; ++z) allocatable[i][z] = zones[z].allocatable;
    query.sums.push_back({allocatable[i], hints.memory[i].bytes});
  }
  const auto zones = static_cast<int>(state.zones);
  const std::optional<int> least = LeastWidth(hints.universe, query.sums);
  if (!least) return zones;
  int width = *least;
  while (query.sums.size() > 1 && width < zones && !FindMask(query, width, steps).mask) ++width;
  return width;
}

bool AnyMemoryMask(const AdmissionState& state, const ResourceHints& hints) {
  for (size_t z : ZonesIn{MemoryUniverse(state, 1)}) {
    if (MemoryFeasible(state, hints, ZoneBit(z))) return true;
  }
  const ZoneMask unused = MemoryUniverse(state, 2);
  bool any = CountZones(unused) > 1 && MemoryFeasible(state, hints, unused);
  ForEachSpecialMask(state, [&](ZoneMask mask) { any = any || MemoryFeasible(state, hints, mask); });
  return any;
}

// --- Devices

// Counts devices that a mask touches, each once; `of` says how many of a group count.
template <typename Of>
int64_t Touched(const DeviceResource& row, ZoneMask mask, Of of) {
  int64_t count = 0;
  for (size_t g = 0; g < row.groups.size(); ++g) {
    if ((row.groups[g].zones & mask) != 0) count += of(g);
  }
  return count;
}

int DeviceWidth(const ResourceHints& hints, const DeviceResource& row, int& steps) {
  std::array<int64_t, 64> total{};
  for (const DeviceGroup& group : row.groups) {
    for (size_t z : ZonesIn{group.zones}) total[z] += group.total;
  }
  // A device of several zones counts in each here: no less than what a mask can have.
  MaskQuery query{.universe = hints.universe, .sums = {{total, hints.need}}};
  const int all = CountZones(hints.universe);
  int width = LeastWidth(hints.universe, query.sums).value_or(all);
  if (!InSeveralZones(row)) return width;
  auto enough = [&](ZoneMask mask) {
    return Touched(row, mask, [&](size_t g) { return row.groups[g].total; }) >= hints.need;
  };
  query.accepts.emplace(enough);
  while (width < all && !FindMask(query, width, steps).mask) ++width;
  return width;
}

void AddDevices(const AdmissionState& state, const ResourceVector& devices, int& steps, HintSet& set) {
  for (size_t r = 0; r < state.machine.devices.size(); ++r) {
    const DeviceResource& row = state.machine.devices[r];
    if (!devices.Has(row.resource)) continue;
    ResourceHints hints{.kind = Kind::kDevices, .row = r, .need = devices.Get(row.resource)};
    std::fill_n(hints.amounts.begin(), state.zones, 0);
    int64_t available = 0;
    for (size_t g = 0; g < row.groups.size(); ++g) {
      const size_t index = state.DeviceIndex(r, g);
      if (row.groups[g].total > 0) hints.universe |= row.groups[g].zones;
      if (state.device_reusable[index] > 0 && CountZones(row.groups[g].zones) == 1) hints.must |= row.groups[g].zones;
      available += state.device_free[index] + state.device_reusable[index];
      for (size_t z : ZonesIn{row.groups[g].zones}) {
        hints.amounts[z] += state.device_free[index] + state.device_reusable[index];
      }
    }
    if (hints.universe == 0) continue;  // no device knows its zone: no say
    hints.width = DeviceWidth(hints, row, steps);
    if (available < hints.need || !Feasible(state, hints, hints.universe)) set.impossible = true;
    set.resources.push_back(hints);
  }
}

}  // namespace

ResourceHints MemoryHints(const AdmissionState& state, const ResourceVector& memory, int& steps) {
  ResourceHints hints{.kind = Kind::kMemory, .universe = AllZones(state.zones)};
  for (size_t row = 0; row < state.machine.memory.size(); ++row) {
    const ResourceId resource = state.machine.memory[row].resource;
    if (memory.Has(resource)) hints.memory.push_back({row, memory.Get(resource)});
  }
  hints.width = MemoryWidth(state, hints, steps);
  return hints;
}

HintSet HintsOf(const AdmissionState& state, const HintRequest& request, int& steps) {
  HintSet set;
  AddCpus(state, request.cpus, set);
  if (state.machine.options.static_memory && !request.memory.empty()) {
    const ResourceHints hints = MemoryHints(state, request.memory, steps);
    // Memory without any feasible mask has no say; its manager refuses when it allocates.
    if (!hints.memory.empty() && AnyMemoryMask(state, hints)) set.resources.push_back(hints);
  }
  AddDevices(state, request.devices, steps, set);
  return set;
}

bool Feasible(const AdmissionState& state, const ResourceHints& hints, ZoneMask mask) {
  if ((mask & ~hints.universe) != 0 || (hints.must & ~mask) != 0) return false;
  if (hints.kind == Kind::kMemory) return MemoryFeasible(state, hints, mask);
  const DeviceResource* row = hints.kind == Kind::kDevices ? &state.machine.devices[hints.row] : nullptr;
  if (row && InSeveralZones(*row)) {
    for (size_t g = 0; g < row->groups.size(); ++g) {
      const ZoneMask zones = row->groups[g].zones;
      if (zones != 0 && (zones & mask) == 0 && state.device_reusable[state.DeviceIndex(hints.row, g)] > 0) return false;
    }
    return Touched(*row, mask, [&](size_t g) {
             const size_t index = state.DeviceIndex(hints.row, g);
             return state.device_free[index] + state.device_reusable[index];
           }) >= hints.need;
  }
  int64_t sum = 0;
  for (size_t z : ZonesIn{mask}) sum += hints.amounts[z];
  return sum >= hints.need;
}

bool Preferred(const AdmissionState& state, const ResourceHints& hints, ZoneMask mask) {
  if (CountZones(mask) == hints.width) return true;
  return hints.sockets > 0 && SocketsIn(state, mask) == hints.sockets;
}

MaskSet FeasibleMasks(const AdmissionState& state, const ResourceHints& hints, std::span<const size_t> zones) {
  auto mask_of = [&](size_t places) {
    ZoneMask mask = 0;
    for (size_t place : ZonesIn{places}) mask |= ZoneBit(zones[place]);
    return mask;
  };
  auto places_of = [&](ZoneMask mask) {
    size_t places = 0;
    for (size_t place = 0; place < zones.size(); ++place) places |= size_t{mask >> zones[place] & 1} << place;
    return places;
  };
  const size_t all = (size_t{1} << zones.size()) - 1;
  if (hints.kind == Kind::kDevices && InSeveralZones(state.machine.devices[hints.row])) {
    MaskSet set;
    for (size_t places = 1; places <= all; ++places) {
      if (Feasible(state, hints, mask_of(places))) set.Add(places);
    }
    return set;
  }
  auto reaching = [&](std::span<const int64_t> amounts, int64_t need) {
    absl::InlinedVector<int64_t, kMaxMergeZones> here;
    for (size_t zone : zones) here.push_back(amounts[zone]);
    return MaskSet::Reaching(here, need);
  };
  if (hints.kind != Kind::kMemory) {
    MaskSet set = reaching(hints.amounts, hints.need).Between(places_of(hints.must), places_of(hints.universe));
    set.Remove(0);
    return set;
  }
  MaskSet set = MaskSet::Reaching(absl::InlinedVector<int64_t, kMaxMergeZones>(zones.size(), 0), 0)
                    .Between(0, places_of(MemoryUniverse(state, 2)));
  for (const ResourceHints::MemoryNeed& need : hints.memory) {
    set &= reaching(std::span(state.memory_free).subspan(need.row * state.zones, state.zones), need.bytes);
  }
  set.Remove(0);
  auto ask = [&](size_t places) { Feasible(state, hints, mask_of(places)) ? set.Add(places) : set.Remove(places); };
  for (size_t place = 0; place < zones.size(); ++place) ask(size_t{1} << place);
  ForEachSpecialMask(state, [&](ZoneMask mask) {
    if (mask_of(places_of(mask)) == mask) ask(places_of(mask));
  });
  return set;
}

MaskAnswer FindCommonMask(const AdmissionState& state, std::span<const ResourceHints> resources, int width,
                          ZoneMask must, std::span<const int> distance, int& steps) {
  MaskQuery query{.universe = AllZones(state.zones), .must = must, .distance = distance};
  bool memory = false;
  for (const ResourceHints& hints : resources) {
    query.universe &= hints.universe;
    query.must |= hints.must;
    if (hints.kind != Kind::kMemory) {
      query.sums.push_back({hints.amounts, hints.need});
      continue;
    }
    memory = true;
    query.universe &= MemoryUniverse(state, width);
    for (const ResourceHints::MemoryNeed& need : hints.memory) {
      query.sums.push_back({std::span(state.memory_free).subspan(need.row * state.zones, state.zones), need.bytes});
    }
  }
  auto suits = [&](ZoneMask mask) {
    return (query.must & ~mask) == 0 &&
           std::all_of(resources.begin(), resources.end(), [&](const ResourceHints& hints) {
             return Feasible(state, hints, mask) && (hints.kind != Kind::kCpus || Preferred(state, hints, mask));
           });
  };
  query.accepts.emplace(suits);
  MaskAnswer answer = FindMask(query, width, steps);
  if (!memory) return answer;
  auto cost = [&](ZoneMask mask) {
    return std::pair(distance.empty() ? 0 : DistanceWithin(distance, state.zones, mask), mask);
  };
  ForEachSpecialMask(state, [&](ZoneMask mask) {
    if (CountZones(mask) == width && (!answer.mask || cost(mask) < cost(*answer.mask)) && suits(mask)) {
      answer.mask = mask;
    }
  });
  return answer;
}

}  // namespace huygens::kubelet
