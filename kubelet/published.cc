#include "kubelet/published.h"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <utility>

namespace huygens::kubelet {

namespace {

constexpr int64_t kMilli = 1000;

constexpr int64_t kMostBytes = int64_t{1} << 50;  // per zone, so that sums do not overflow

struct Amounts3 {
  int64_t capacity, allocatable, available;
};

Amounts3 AmountsOf(const cluster::Zone& zone, ResourceId resource) {
  Amounts3 amounts{zone.capacity.Get(resource), zone.allocatable.Get(resource),
                   std::max<int64_t>(zone.available.Get(resource), 0)};
  amounts.allocatable = std::max(amounts.allocatable, amounts.available);
  amounts.capacity = std::max(amounts.capacity, amounts.allocatable);
  return amounts;
}

int Whole(int64_t milli) { return static_cast<int>(std::min<int64_t>(milli / kMilli, 1 << 20)); }
int Count(int64_t devices) { return static_cast<int>(std::min<int64_t>(devices, 1 << 20)); }

bool IsDevice(ResourceId resource) {
  return resource != kCpu && resource != kMemory && resource != kEphemeralStorage && resource != kPodSlots &&
         !IsHugepages(resource);
}

bool OfNoZone(const DeviceResource& row) { return !row.groups.empty() && row.groups.back().zones == 0; }

// Every resource that a zone lists, in order of id.
std::vector<ResourceId> Listed(const std::vector<cluster::Zone>& zones) {
  std::vector<ResourceId> listed;
  for (const cluster::Zone& zone : zones) {
    for (const ResourceVector* amounts : {&zone.capacity, &zone.allocatable, &zone.available}) {
      for (const auto& [resource, amount] : *amounts) listed.push_back(resource);
    }
  }
  std::sort(listed.begin(), listed.end());
  listed.erase(std::unique(listed.begin(), listed.end()), listed.end());
  return listed;
}

// By the order of the names of their parents; -1 without one.
std::vector<int> Sockets(const std::vector<cluster::Zone>& zones) {
  std::vector<std::string_view> names;
  names.reserve(zones.size());
  for (const cluster::Zone& zone : zones) names.push_back(zone.parent);
  std::vector<std::string_view> distinct = names;
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  std::vector<int> sockets;
  for (std::string_view name : names) {
    auto at = std::lower_bound(distinct.begin(), distinct.end(), name);
    sockets.push_back(name.empty() ? -1 : static_cast<int>(at - distinct.begin()));
  }
  return sockets;
}

// Row by row; empty unless every pair is given.
std::vector<int> Distances(const std::vector<cluster::Zone>& zones) {
  std::vector<int> distances;
  for (const cluster::Zone& from : zones) {
    for (const cluster::Zone& to : zones) {
      auto cost = std::find_if(from.costs.begin(), from.costs.end(), [&](const auto& c) { return c.first == to.id; });
      if (cost == from.costs.end()) return {};
      distances.push_back(cost->second);
    }
  }
  return distances;
}

// Whether a list such as "0-3,8" names the CPU. What cannot be read names none.
bool ListHas(std::string_view list, int cpu) {
  while (!list.empty()) {
    const std::string_view range = list.substr(0, list.find(','));
    list.remove_prefix(std::min(list.size(), range.size() + 1));
    int first = -1, last = -1;
    const char* const begin = range.data();
    const char* const end = begin + range.size();
    const auto [stop, error] = std::from_chars(begin, end, first);
    last = first;
    if (error == std::errc() && stop != end && *stop == '-') std::from_chars(stop + 1, end, last);
    if (error == std::errc() && first <= cpu && cpu <= last) return true;
  }
  return false;
}

ZoneMask GroupOf(const std::vector<cluster::Zone>& zones, size_t position) {
  ZoneMask group = ZoneBit(position);
  for (size_t i = 0; i < zones.size(); ++i) {
    const auto& ids = zones[position].memory_group;
    if (std::find(ids.begin(), ids.end(), zones[i].id) != ids.end()) group |= ZoneBit(i);
  }
  return group;
}

}  // namespace

bool Usable(const cluster::NodeTopology& topology) {
  const auto& zones = topology.zones;
  auto cpus = [](int sum, const cluster::Zone& zone) { return sum + Whole(AmountsOf(zone, kCpu).capacity); };
  return topology.defect.empty() && zones.size() <= cluster::kMaxZones &&
         std::adjacent_find(zones.begin(), zones.end(), [](const auto& a, const auto& b) { return a.id >= b.id; }) ==
             zones.end() &&
         std::accumulate(zones.begin(), zones.end(), 0, cpus) <= cluster::kMaxCpus;
}

Machine PublishedMachine(const cluster::NodeTopology& topology, const Options& options) {
  constexpr int kMostIds = 64;
  std::vector<cluster::Zone> zones = topology.zones;
  std::erase_if(zones, [](const cluster::Zone& zone) { return zone.id >= kMostIds; });
  Machine machine;
  machine.options = options;
  const std::vector<int> sockets = Sockets(zones);
  for (size_t i = 0; i < zones.size(); ++i) {
    const Amounts3 cpu = AmountsOf(zones[i], kCpu);
    machine.zones.push_back({.id = zones[i].id,
                             .socket = sockets[i],
                             .cpu_capacity = Whole(cpu.capacity),
                             .cpu_allocatable = Whole(cpu.allocatable),
                             .cpu_free = Whole(cpu.available),
                             .memory_group = GroupOf(zones, i)});
  }
  // kubelet takes a zone out of its group once no block of memory touches it, and lets into a group no zone with memory
  // of its own. So a block touches all zones of a group, though it need not take any of theirs: it takes all that the
  // lowest has before the next gives any.
  for (const Zone& zone : std::vector(machine.zones)) {
    if (CountZones(zone.memory_group) == 1) continue;
    for (size_t member : ZonesIn{zone.memory_group}) machine.zones[member].memory_blocks = 1;
  }
  const std::vector<ResourceId> listed = Listed(zones);
  if (listed.empty() || listed.front() != kCpu) machine.options.static_cpus = false;
  for (ResourceId resource : listed) {
    if (resource == kMemory || IsHugepages(resource)) {
      MemoryResource& row = machine.memory.emplace_back(MemoryResource{.resource = resource});
      for (size_t i = 0; i < zones.size(); ++i) {
        const Amounts3 amounts = AmountsOf(zones[i], resource);
        row.zones.push_back({.allocatable = std::min(amounts.allocatable, kMostBytes),
                             .free = std::min(amounts.available, kMostBytes)});
        if (amounts.available < amounts.allocatable) machine.zones[i].memory_blocks = 1;
      }
    } else if (IsDevice(resource)) {
      DeviceResource& row = machine.devices.emplace_back(DeviceResource{.resource = resource});
      for (size_t i = 0; i < zones.size(); ++i) {
        const Amounts3 amounts = AmountsOf(zones[i], resource);
        if (amounts.capacity == 0) continue;
        row.healthy += Count(amounts.allocatable);
        row.groups.push_back({.zones = ZoneBit(i), .total = Count(amounts.capacity), .free = Count(amounts.available)});
      }
    }
  }
  machine.distance = Distances(zones);
  return machine;
}

bool ListsAllCpus(const cluster::NodeTopology& topology) {
  return std::all_of(topology.zones.begin(), topology.zones.end(), [](const cluster::Zone& zone) {
    size_t listed = 0;
    for (const cluster::Core& core : zone.cores) listed += core.size();
    return listed == static_cast<size_t>(Whole(AmountsOf(zone, kCpu).capacity));
  });
}

std::vector<LogicalCpu> ListedCpus(const cluster::NodeTopology& topology, const Machine& machine) {
  if (!ListsAllCpus(topology)) return {};
  std::vector<LogicalCpu> cpus;
  std::vector<int> ids;
  for (size_t z = 0; z < machine.zones.size(); ++z) {  // the first of the object's
    const int socket = machine.zones[z].socket;
    for (const cluster::Core& core : topology.zones[z].cores) {
      for (const int id : core) {
        cpus.push_back({.id = id, .core = core.front(), .zone = z, .socket = socket >= 0 ? socket : SocketOfItsOwn(z)});
        ids.push_back(id);
      }
    }
  }
  std::sort(ids.begin(), ids.end());
  if (std::adjacent_find(ids.begin(), ids.end()) != ids.end()) return {};
  return cpus;
}

std::vector<int> ListedReserved(const cluster::NodeTopology& topology, const Machine& machine) {
  const auto said =
      std::ranges::find(topology.attributes, "huygens.dev/reserved-cpus", &std::pair<std::string, std::string>::first);
  if (said == topology.attributes.end()) return {};
  const std::vector<LogicalCpu> cpus = ListedCpus(topology, machine);
  std::vector<int> reserved, in_zone(machine.zones.size());
  for (const LogicalCpu& cpu : cpus) {
    if (!ListHas(said->second, cpu.id)) continue;
    reserved.push_back(cpu.id);
    ++in_zone[cpu.zone];
  }
  for (size_t z = 0; z < machine.zones.size(); ++z) {
    if (in_zone[z] != machine.zones[z].cpu_capacity - machine.zones[z].cpu_allocatable) return {};
  }
  return reserved;
}

void SetDevicesOfNoZone(Machine& machine, const ResourceVector& node_allocatable) {
  for (DeviceResource& row : machine.devices) {
    if (OfNoZone(row)) {
      row.healthy -= row.groups.back().total;
      row.groups.pop_back();
    }
    const int others = Count(node_allocatable.Get(row.resource)) - row.healthy;
    if (others <= 0) continue;
    row.healthy += others;
    row.groups.push_back({.zones = 0, .total = others, .free = others});
  }
}

void CountDevicesOfNoZone(Machine& machine, const ResourceVector& held) {
  for (DeviceResource& row : machine.devices) {
    if (!OfNoZone(row)) continue;
    DeviceGroup& others = row.groups.back();
    int64_t free = row.healthy - Count(held.Get(row.resource));
    for (const DeviceGroup& group : row.groups) {
      if (group.zones != 0) free -= std::max(group.free, 0);
    }
    others.free = static_cast<int>(std::clamp<int64_t>(free, 0, others.total));
  }
}

bool HasDevicesOfNoZone(const Machine& machine) {
  return std::any_of(machine.devices.begin(), machine.devices.end(), OfNoZone);
}

ResourceVector DevicesIn(const ResourceVector& amounts) {
  ResourceVector devices;
  for (const auto& [resource, amount] : amounts) {
    if (IsDevice(resource)) devices.Set(resource, amount);
  }
  return devices;
}

Machine Emptied(Machine machine) {
  for (size_t i = 0; i < machine.zones.size(); ++i) {
    Zone& zone = machine.zones[i];
    zone.cpu_free = zone.cpu_allocatable;
    zone.memory_blocks = 0;
    zone.memory_group = ZoneBit(i);
  }
  for (MemoryResource& row : machine.memory) {
    for (MemoryResource::Zone& zone : row.zones) zone.free = zone.allocatable;
  }
  for (DeviceResource& row : machine.devices) {
    for (DeviceGroup& group : row.groups) group.free = group.total;
  }
  return machine;
}

}  // namespace huygens::kubelet
