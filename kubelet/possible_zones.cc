#include "kubelet/possible_zones.h"

#include <algorithm>

namespace huygens::kubelet {

namespace {

using Kind = Container::Kind;

constexpr int kMostSteps = 4096;  // some 20 us
constexpr size_t kNoPod = ~size_t{0};

// CPUs that are in one zone together.
struct Item {
  int cpus = 0;
  int left = 0;  // by init containers, in the same zone; at least
  ZoneMask possible = 0;
  size_t pod = kNoPod;  // whose init containers left CPUs in the zone of this item, if they left any
};

template <typename Has>
bool AnyZone(const Machine& machine, Has has) {
  for (size_t z = 0; z < machine.zones.size(); ++z) {
    if (has(z)) return true;
  }
  return false;
}

bool FitsAZone(const Machine& machine, int cpus, const ResourceVector& memory, const ResourceVector& devices) {
  if (machine.options.static_cpus && cpus > 0 &&
      !AnyZone(machine, [&](size_t z) { return machine.zones[z].cpu_capacity >= cpus; })) {
    return false;
  }
  const bool counts = machine.options.static_memory && !memory.empty();
  if (counts && !AnyZone(machine, [&](size_t z) {
        return std::ranges::all_of(machine.memory, [&](const MemoryResource& row) {
          return row.zones[z].allocatable >= memory.Get(row.resource);
        });
      })) {
    return false;
  }
  return std::ranges::all_of(machine.devices, [&](const DeviceResource& row) {
    const int64_t amount = devices.Get(row.resource);
    const bool zoned = std::ranges::any_of(row.groups, [](const DeviceGroup& group) { return group.zones != 0; });
    return amount == 0 || !zoned || AnyZone(machine, [&](size_t z) {
             int64_t total = 0;
             for (const DeviceGroup& group : row.groups) total += group.zones == ZoneBit(z) ? group.total : 0;
             return total >= amount;
           });
  });
}

Uses CpuUses(const Pod& pod) {
  return UsesOf(pod.containers, [](const Container& container) { return ResourceVector{{kCpu, container.cpus}}; });
}

void AddItems(const Machine& machine, const HiddenPod& hidden, size_t index, std::vector<Item>& items) {
  const std::vector<Container>& containers = hidden.pod->containers;
  const Uses uses = CpuUses(*hidden.pod);
  const auto lasting = static_cast<int>(uses.lasting.Get(kCpu));
  const int left = static_cast<int>(uses.peak.Get(kCpu)) - lasting;
  const ZoneMask any = AllZones(machine.zones.size());
  if (machine.options.scope == TopologyManagerScope::kPod) {
    items.push_back({lasting, left, hidden.possible & any, index});
    return;
  }
  size_t after = 0;  // the last init container
  for (size_t i = 0; i < containers.size(); ++i) {
    if (containers[i].kind == Kind::kInit && containers[i].cpus > 0) after = i + 1;
  }
  int together = 0, count = 0;
  for (size_t i = after; i < containers.size(); ++i) {
    together += containers[i].cpus;
    count += containers[i].cpus > 0 ? 1 : 0;
  }
  const bool bound = after > 0 && (left > 0 || count < 2);
  for (size_t i = 0; i < (bound ? after : containers.size()); ++i) {
    if (containers[i].kind != Kind::kInit && containers[i].cpus > 0) items.push_back({containers[i].cpus, 0, any});
  }
  if (bound) items.push_back({together, left, hidden.possible & any, index});
}

class Search {
 public:
  Search(ShownCpus room, std::vector<Item> items, size_t pods)
      : room_(std::move(room)), items_(std::move(items)), reached_(pods, 0) {
    std::ranges::stable_sort(items_, [](const Item& a, const Item& b) { return a.cpus > b.cpus; });
  }

  Deal Run() {
    const bool any = From(0);
    return steps_ < 0 ? Deal::kUnsure : any ? Deal::kFound : Deal::kNone;
  }
  ZoneMask reached(size_t pod) const { return reached_[pod]; }

 private:
  // Whether the items from this one on can be dealt. Notes where those of pods were in each way that succeeds.
  bool From(size_t first) {
    if (first == items_.size()) return true;
    const Item& item = items_[first];
    bool any = false;
    for (size_t zone : ZonesIn{item.possible}) {
      if (--steps_ < 0) return any;
      if (room_.used[zone] < item.cpus || room_.free[zone] < item.left) continue;
      room_.used[zone] -= item.cpus;
      room_.free[zone] -= item.left;
      if (From(first + 1)) {
        any = true;
        if (item.pod != kNoPod) reached_[item.pod] |= ZoneBit(zone);
      }
      room_.used[zone] += item.cpus;
      room_.free[zone] += item.left;
    }
    return any;
  }

  ShownCpus room_;
  std::vector<Item> items_;
  std::vector<ZoneMask> reached_;
  int steps_ = kMostSteps;
};

}  // namespace

bool InOneZone(const Machine& machine, const Pod& pod) {
  if (machine.options.align_by_socket) return false;
  if (machine.options.policy == TopologyManagerPolicy::kSingleNumaNode) return true;
  if (machine.options.policy != TopologyManagerPolicy::kRestricted) return false;
  if (machine.options.scope == TopologyManagerScope::kPod) {
    return FitsAZone(machine, pod.cpus, pod.memory, pod.devices);
  }
  return std::ranges::all_of(
      pod.containers, [&](const Container& each) { return FitsAZone(machine, each.cpus, each.memory, each.devices); });
}

Deal NarrowZones(const Machine& machine, const ShownCpus& shown, std::vector<HiddenPod>& pods) {
  if (!machine.options.static_cpus) return Deal::kUnsure;
  if (std::ranges::any_of(shown.used, [](int64_t used) { return used < 0; })) return Deal::kNone;
  std::vector<Item> items;
  for (size_t i = 0; i < pods.size(); ++i) {
    if (InOneZone(machine, *pods[i].pod)) AddItems(machine, pods[i], i, items);
  }
  std::vector<bool> told(pods.size(), false);
  for (const Item& item : items) {
    if (item.pod != kNoPod) told[item.pod] = true;
  }
  Search search(shown, std::move(items), pods.size());
  const Deal deal = search.Run();
  if (deal != Deal::kFound) return deal;
  for (size_t i = 0; i < pods.size(); ++i) {
    if (told[i]) pods[i].possible &= search.reached(i);
  }
  return deal;
}

}  // namespace huygens::kubelet
