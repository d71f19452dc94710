#include "kubelet/holding.h"

#include <algorithm>
#include <bit>
#include <optional>

namespace huygens::kubelet {

namespace {

using Kind = Container::Kind;
using cluster::ZoneAmount;

constexpr int64_t kMilli = 1000;

// What a container takes exclusively, of the resources that the machine has.
ResourceVector Takes(const Machine& machine, const Container& container) {
  ResourceVector takes;
  if (machine.options.static_cpus && container.cpus > 0) takes.Set(kCpu, container.cpus * kMilli);
  for (const MemoryResource& row : machine.memory) {
    int64_t amount = container.memory.Get(row.resource);
    if (machine.options.static_memory && amount > 0) takes.Set(row.resource, amount);
  }
  for (const DeviceResource& row : machine.devices) {
    if (int64_t amount = container.devices.Get(row.resource); amount > 0) takes.Set(row.resource, amount);
  }
  return takes;
}

ResourceVector SumOf(const Machine& machine, const Pod& pod) {
  ResourceVector sum;
  for (const Container& container : pod.containers) sum.Add(Takes(machine, container));
  return sum;
}

Uses UsesOf(const Machine& machine, const Pod& pod) {
  return UsesOf(pod.containers, [&](const Container& container) { return Takes(machine, container); });
}

// By how much what init containers hold exceeds what the other containers take over from them.
ResourceVector HiddenOf(const Machine& machine, const Holding& holding) {
  const Uses uses = UsesOf(machine, holding.pod);
  ResourceVector hidden;
  for (const auto& [resource, amount] : uses.peak) {
    const bool memory = resource == kMemory || IsHugepages(resource);
    if (memory && holding.started) continue;
    if (int64_t more = amount - uses.lasting.Get(resource); more > 0) hidden.Set(resource, more);
  }
  return hidden;
}

std::optional<size_t> PositionOf(const Machine& machine, int zone) {
  auto at = std::find_if(machine.zones.begin(), machine.zones.end(), [&](const auto& each) { return each.id == zone; });
  if (at == machine.zones.end()) return std::nullopt;
  return static_cast<size_t>(at - machine.zones.begin());
}

// More than any zone has; what pods claim is cut to it, so that sums never overflow.
int64_t Credible(int64_t count) { return std::clamp<int64_t>(count, 0, 1 << 20); }
int64_t CredibleBytes(int64_t bytes) { return std::clamp<int64_t>(bytes, 0, int64_t{1} << 50); }

void Take(int& free, int64_t count) {
  constexpr int64_t kMost = 1 << 30;  // thousands of pods may claim much of one zone
  free = static_cast<int>(std::clamp(free - count, -kMost, kMost));
}

// `sign` 1 takes, -1 gives back.
void Move(Machine& machine, size_t position, const ResourceVector& amounts, int sign) {
  Take(machine.zones[position].cpu_free, sign * Credible(amounts.Get(kCpu) / kMilli));
  for (MemoryResource& row : machine.memory) {
    row.zones[position].free -= sign * CredibleBytes(amounts.Get(row.resource));
  }
  for (DeviceResource& row : machine.devices) {
    const int64_t count = sign * Credible(amounts.Get(row.resource));
    for (DeviceGroup& group : row.groups) {
      if (group.zones == ZoneBit(position)) Take(group.free, count);
    }
  }
}

// Of the devices of no zone what its zones do not hold; all where they are unknown.
void TakeOfNoZone(Machine& machine, const Holding& holding) {
  for (DeviceResource& row : machine.devices) {
    if (row.groups.empty() || row.groups.back().zones != 0) continue;
    int64_t rest = Credible(holding.pod.devices.Get(row.resource));
    for (const ZoneAmount& each : holding.zones) rest -= Credible(each.amount.Get(row.resource));
    Take(row.groups.back().free, std::max<int64_t>(rest, 0));
  }
}

ResourceVector AtMost(const ResourceVector& amounts, const ResourceVector& limit) {
  ResourceVector least;
  for (const auto& [resource, amount] : amounts) least.Set(resource, std::min(amount, limit.Get(resource)));
  return least;
}

int64_t Memory(const ResourceVector& amounts) {
  int64_t sum = 0;
  for (const auto& [resource, amount] : amounts) {
    if (resource == kMemory || IsHugepages(resource)) sum = SaturatingAdd(sum, amount);
  }
  return sum;
}

// Whether the containers can be dealt to the zones so that each zone gets exactly its amount. All amounts are above 0.
// Zone by zone, by sets of containers: no more than 3^containers steps for each zone.
bool Deals(const std::vector<int64_t>& containers, const std::vector<int64_t>& zones) {
  if (zones.size() > containers.size()) return false;
  const size_t all = (size_t{1} << containers.size()) - 1;
  std::vector<int64_t> sum(all + 1, 0);
  for (size_t set = 1; set <= all; ++set) {
    const auto lowest = static_cast<size_t>(std::countr_zero(set));
    sum[set] = SaturatingAdd(sum[set & (set - 1)], containers[lowest]);
  }
  std::vector<bool> dealt(all + 1, false);
  dealt[0] = true;
  for (int64_t amount : zones) {
    std::vector<bool> next(all + 1, false);
    for (size_t before = 0; before <= all; ++before) {
      if (!dealt[before]) continue;
      const size_t rest = all & ~before;
      for (size_t set = rest; set != 0; set = (set - 1) & rest) {
        if (sum[set] == amount) next[before | set] = true;
      }
    }
    dealt = std::move(next);
  }
  return dealt[all];
}

// The zones in which the pod holds memory, if one of its blocks spans them: not if each container may have a zone of
// its own, which the amounts tell.
ZoneMask SpannedBy(const Machine& machine, const Holding& holding) {
  constexpr size_t kMostContainers = 8;  // more are taken to span
  ZoneMask zones = 0;
  std::vector<int64_t> amounts, containers;
  for (const ZoneAmount& each : holding.zones) {
    auto position = PositionOf(machine, each.zone);
    if (!position || Memory(each.amount) == 0) continue;
    zones |= ZoneBit(*position);
    amounts.push_back(Memory(each.amount));
  }
  if (amounts.size() < 2) return 0;
  for (const Container& container : holding.pod.containers) {
    if (int64_t memory = Memory(Takes(machine, container)); memory > 0) containers.push_back(memory);
  }
  const bool apart = containers.size() <= kMostContainers && Deals(containers, amounts);
  return apart ? 0 : zones;
}

void HoldMemory(Machine& machine, const Holding& holding) {
  const ZoneMask spanned = SpannedBy(machine, holding);
  for (const ZoneAmount& each : holding.zones) {
    auto position = PositionOf(machine, each.zone);
    if (!position || Memory(each.amount) == 0) continue;
    machine.zones[*position].memory_blocks = 1;
    if (spanned != 0) machine.zones[*position].memory_group = spanned;
  }
}

// A group that no allocation can match, neither of this zone alone nor of a set of zones with it.
ZoneMask NoSuchGroup(size_t position) { return position < 62 ? ZoneBit(62) | ZoneBit(63) : ZoneBit(0) | ZoneBit(1); }

// Whether kubelet may have put memory of a pod that holds `sum` at most into a block across zones.
bool MaySpan(const Machine& machine, const ResourceVector& sum) {
  if (Memory(sum) == 0 || machine.options.policy == TopologyManagerPolicy::kSingleNumaNode) return false;
  if (machine.options.policy != TopologyManagerPolicy::kRestricted) return true;
  for (size_t i = 0; i < machine.zones.size(); ++i) {
    auto holds = [&](const MemoryResource& row) { return sum.Get(row.resource) <= row.zones[i].allocatable; };
    if (std::all_of(machine.memory.begin(), machine.memory.end(), holds)) return false;
  }
  return true;
}

// What exporters surely show of a pod whose zones are known.
void MoveShown(Machine& machine, const Holding& holding, int sign) {
  Holding all_hidden = holding;
  all_hidden.started = false;
  const ResourceVector hidden = HiddenOf(machine, all_hidden);
  for (const ZoneAmount& each : holding.zones) {
    auto position = PositionOf(machine, each.zone);
    if (!position) continue;
    ResourceVector shown = each.amount;
    shown.Subtract(AtMost(hidden, each.amount));
    Move(machine, *position, shown, sign);
  }
}

}  // namespace

std::vector<ZoneAmount> ZonesOf(const Machine& machine, const Allocation& charge) {
  std::vector<ZoneAmount> by_position(machine.zones.size());
  for (size_t i = 0; i < machine.zones.size(); ++i) by_position[i].zone = machine.zones[i].id;
  for (const auto& each : charge.zones) {
    if (each.cpus > 0) by_position[each.zone].amount.Add(kCpu, each.cpus * kMilli);
  }
  for (const auto& each : charge.memory) {
    if (each.bytes > 0) by_position[each.zone].amount.Add(machine.memory[each.row].resource, each.bytes);
  }
  for (const auto& each : charge.devices) {
    const DeviceResource& row = machine.devices[each.row];
    for (size_t position : ZonesIn{row.groups[each.group].zones}) {
      by_position[position].amount.Add(row.resource, each.count);
    }
  }
  std::erase_if(by_position, [](const ZoneAmount& each) { return each.amount.empty(); });
  return by_position;
}

std::vector<ZoneAmount> FreeOf(const Machine& machine) {
  std::vector<ZoneAmount> free(machine.zones.size());
  for (size_t i = 0; i < free.size(); ++i) {
    free[i].zone = machine.zones[i].id;
    free[i].amount.Set(kCpu, std::max(machine.zones[i].cpu_free, 0) * kMilli);
    for (const MemoryResource& row : machine.memory) {
      free[i].amount.Set(row.resource, std::max<int64_t>(row.zones[i].free, 0));
    }
    for (const DeviceResource& row : machine.devices) {
      for (const DeviceGroup& group : row.groups) {
        if ((group.zones & ZoneBit(i)) != 0) free[i].amount.Add(row.resource, std::max(group.free, 0));
      }
    }
  }
  return free;
}

topology::ZoneSet ZonesTaken(const Machine& machine, const Allocation& charge) {
  constexpr int kUnknownDistance = 255;
  topology::ZoneSet set;
  for (const auto& each : charge.zones) set.members |= ZoneBit(each.zone);
  for (const auto& each : charge.memory) set.members |= ZoneBit(each.zone);
  for (const auto& each : charge.devices) set.members |= machine.devices[each.row].groups[each.group].zones;
  set.count = CountZones(set.members);
  for (size_t a : ZonesIn{set.members}) {
    for (size_t b : ZonesIn{set.members}) {
      if (a == b) continue;
      set.distance += machine.distance.empty() ? kUnknownDistance : machine.distance[a * machine.zones.size() + b];
    }
  }
  return set;
}

bool Plausible(const Machine& machine, const Holding& holding) {
  ResourceVector told;
  for (const ZoneAmount& each : holding.zones) {
    if (PositionOf(machine, each.zone)) told.Add(each.amount);
  }
  for (const DeviceResource& row : machine.devices) {
    for (const DeviceGroup& group : row.groups) {
      if (group.zones == 0) told.Add(row.resource, group.total);
    }
  }
  const ResourceVector peak = UsesOf(machine, holding.pod).peak;
  return std::all_of(peak.begin(), peak.end(), [&](const auto& each) { return told.Get(each.first) >= each.second; });
}

void ChargeAll(Machine& machine, const Holding& holding) {
  TakeOfNoZone(machine, holding);
  if (!holding.zones.empty()) {
    for (const ZoneAmount& each : holding.zones) {
      if (auto position = PositionOf(machine, each.zone)) Move(machine, *position, each.amount, 1);
    }
    return HoldMemory(machine, holding);
  }
  const ResourceVector sum = SumOf(machine, holding.pod);
  const bool may_span = MaySpan(machine, sum);
  for (size_t i = 0; i < machine.zones.size(); ++i) {
    Move(machine, i, sum, 1);
    if (Memory(sum) > 0) machine.zones[i].memory_blocks = 1;
    if (may_span) machine.zones[i].memory_group = NoSuchGroup(i);
  }
}

void ChargeHidden(Machine& machine, const Holding& holding) {
  const ResourceVector hidden = HiddenOf(machine, holding);
  if (holding.zones.empty()) {
    for (size_t i = 0; i < machine.zones.size() && !hidden.empty(); ++i) Move(machine, i, hidden, 1);
    return;
  }
  for (const ZoneAmount& each : holding.zones) {
    auto position = PositionOf(machine, each.zone);
    if (position && !hidden.empty()) Move(machine, *position, AtMost(hidden, each.amount), 1);
  }
  HoldMemory(machine, holding);
}

void ChargeShown(Machine& machine, const Holding& holding) { MoveShown(machine, holding, 1); }
void Credit(Machine& machine, const Holding& holding) { MoveShown(machine, holding, -1); }

void CreditMost(Machine& machine, const Holding& holding) {
  for (const ZoneAmount& each : holding.zones) {
    if (auto position = PositionOf(machine, each.zone)) Move(machine, *position, each.amount, -1);
  }
  if (!holding.zones.empty()) return;
  const ResourceVector sum = SumOf(machine, holding.pod);
  for (size_t i = 0; i < machine.zones.size(); ++i) Move(machine, i, sum, -1);
}

}  // namespace huygens::kubelet
