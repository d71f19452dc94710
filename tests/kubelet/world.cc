#include "tests/kubelet/world.h"

#include <algorithm>

#include "base/text.h"

namespace huygens::kubelet::test {

namespace {

namespace json = boost::json;

std::string ListText(const std::vector<int>& ids) {
  std::string text;
  for (int id : ids) text += (text.empty() ? "" : ",") + std::to_string(id);
  return text;
}

}  // namespace

KubeletWorld::KubeletWorld(uint64_t seed, const Kind& kind, ResourceNames& names)
    : random_(seed),
      kind_(kind),
      names_(names),
      hugepages_(*names.Intern("hugepages-2Mi")),
      gpu_(*names.Intern("example.com/gpu")),
      nic_(*names.Intern("example.com/nic")) {
  MakeZones();
  MakeCpus();
  MakeMemory(kMemory);
  if (Chance(kind.scarce_memory ? 70 : 30)) MakeMemory(hugepages_);
  if (kind.homeless_devices || Chance(30)) MakeDevices(gpu_);
  if (kind.homeless_devices && Chance(30)) MakeDevices(nic_);
  MakeOptions();
  Live();
  asks_ = NewPod(Chance(30));
  LeaveWhatIsShort();
}

void KubeletWorld::MakeZones() {
  const int n = Pick({1, 2, 2, 2, 3, 3, 4});
  const bool sparse = Chance(10), even = Chance(50);
  for (int z = 0, id = 0; z < n; ++z, id += sparse ? Number(1, 3) : 1) {
    machine_.zones.push_back({.id = id, .memory_group = ZoneBit(static_cast<size_t>(z))});
  }
  for (int a = 0; a < n; ++a) {
    for (int b = 0; b < n; ++b) machine_.distance.push_back(a == b ? 10 : even ? 20 : Number(11, 14));
  }
}

void KubeletWorld::MakeCpus() {
  const int n = static_cast<int>(machine_.zones.size());
  const int sockets = Number(1, n), threads = Number(1, 2), cores = Number(2, 6);
  const bool bare = n > 1 && Chance(10), uneven = Chance(30);
  int core = 0;
  for (int z = 0; z < n; ++z) {
    const int here = bare && z == n - 1 ? 0 : uneven ? Number(1, 7) : cores;
    for (int c = 0; c < here; ++c, ++core) {
      const int siblings = kind_.mixed_cores ? Number(1, 2) : threads;
      for (int t = 0; t < siblings; ++t) {
        cpus_.push_back({.id = t, .core = core, .zone = static_cast<size_t>(z), .socket = z * sockets / n});
      }
    }
  }
  // Siblings side by side, or all first threads before all second ones.
  if (Chance(50)) {
    std::stable_sort(cpus_.begin(), cpus_.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
  }
  for (size_t i = 0; i < cpus_.size(); ++i) cpus_[i].id = static_cast<int>(i);
  // As kubelet chooses them where only their number is given: the lowest cores.
  std::vector<LogicalCpu> by_core = cpus_;
  std::stable_sort(by_core.begin(), by_core.end(), [](const auto& a, const auto& b) { return a.core < b.core; });
  std::vector<int> reserved, all;
  for (int i = Pick({0, 1, 1, 2, 3}); i > 0; --i) {
    reserved.push_back(by_core[by_core.size() - 1 < reserved.size() ? 0 : reserved.size()].id);
    if (reserved.size() == by_core.size()) break;
  }
  for (const LogicalCpu& cpu : cpus_) {
    Zone& zone = machine_.zones[cpu.zone];
    zone.socket = cpu.socket;
    ++zone.cpu_capacity;
    if (std::ranges::find(reserved, cpu.id) != reserved.end()) continue;
    ++zone.cpu_allocatable;
    ++zone.cpu_free;
    all.push_back(cpu.id);
  }
  machine_.layout = CpuLayout::Make(cpus_, reserved);
  machine_.knows_free_cpus = true;
  reserved_ = machine_.layout->Positions(reserved);
  machine_.free_cpus = machine_.layout->Positions(all);
}

void KubeletWorld::MakeMemory(ResourceId resource) {
  MemoryResource row{.resource = resource};
  for (size_t z = 0; z < machine_.zones.size(); ++z) {
    const bool none = Chance(kind_.scarce_memory ? 35 : 5);
    const int amount = none ? 0 : Number(4, kind_.scarce_memory ? 12 : 24);
    row.zones.push_back({amount, amount});
  }
  // What no zone has kube-scheduler looks for in vain.
  const auto some = static_cast<size_t>(Number(0, static_cast<int>(machine_.zones.size()) - 1));
  if (row.zones[some].allocatable == 0) row.zones[some] = {8, 8};
  machine_.memory.push_back(row);
}

void KubeletWorld::MakeDevices(ResourceId resource) {
  DeviceResource row{.resource = resource};
  const int n = static_cast<int>(machine_.zones.size());
  for (int i = Number(1, 6); i > 0; --i) {
    DeviceGroup device{.zones = 0, .total = 1};
    if (!Chance(kind_.homeless_devices ? 40 : 0)) device.zones = ZoneBit(static_cast<size_t>(Number(0, n - 1)));
    device.free = Chance(90) ? 1 : 0;  // unhealthy
    row.healthy += device.free;
    row.groups.push_back(device);
  }
  // Where kubelet asks for no zone the plugin chooses: those of the lowest zones first, those of none last.
  std::ranges::stable_sort(row.groups, {}, [](const DeviceGroup& each) { return each.zones - 1; });
  // A plugin without a healthy device cannot be told from one that is gone.
  if (row.healthy == 0) row.healthy = row.groups[0].free = 1;
  machine_.devices.push_back(row);
}

void KubeletWorld::MakeOptions() {
  const int policy = Number(1, 100);
  machine_.options = {.policy = policy <= 40   ? TopologyManagerPolicy::kBestEffort
                                : policy <= 75 ? TopologyManagerPolicy::kRestricted
                                : policy <= 88 ? TopologyManagerPolicy::kSingleNumaNode
                                               : TopologyManagerPolicy::kNone,
                      .scope = Chance(50) ? TopologyManagerScope::kPod : TopologyManagerScope::kContainer,
                      .prefer_closest = Chance(30),
                      .static_cpus = true,
                      .static_memory = kind_.scarce_memory || Chance(60),
                      .full_cores_only = kind_.mixed_cores || Chance(15),
                      .distribute_across_zones = Chance(10),
                      .align_by_socket = Chance(8)};
}

cluster::Container KubeletWorld::NewContainer(bool modest) {
  cluster::Container container{.name = "c"};
  ResourceVector amounts;
  amounts.Set(
      kCpu, Chance(15) ? Number(1, 5) * 500 : (modest ? Pick({1, 1, 1, 2, 4}) : Pick({1, 1, 2, 2, 3, 4, 5, 7})) * 1000);
  amounts.Set(kMemory, Chance(70) ? Number(1, modest ? 3 : 6) : Number(4, modest ? 14 : 24));
  if (machine_.memory.size() > 1 && Chance(50)) amounts.Set(hugepages_, Number(0, 8));
  for (const DeviceResource& row : machine_.devices) {
    if (Chance(modest ? 30 : 60)) amounts.Set(row.resource, Number(0, modest ? 1 : 3));
  }
  container.requests = container.limits = amounts;
  return container;
}

cluster::Pod KubeletWorld::NewPod(bool modest) {
  cluster::Pod pod;
  for (int i = modest ? Pick({0, 0, 0, 0, 1}) : Pick({0, 0, 0, 1, 2}); i > 0; --i) {
    pod.init_containers.push_back(NewContainer(modest));
    pod.init_containers.back().restartable = Chance(40);
  }
  for (int i = modest ? Pick({1, 1, 1, 2}) : Pick({1, 1, 1, 2, 2, 3}); i > 0; --i) {
    pod.containers.push_back(NewContainer(modest));
  }
  // Of more devices than it needs that init containers left, kubelet takes a container's at random.
  for (const DeviceResource& row : machine_.devices) {
    int64_t left = 0;
    auto ask = [&](cluster::Container& container, bool init) {
      int64_t amount = container.limits.Get(row.resource);
      if (amount == 0) return;
      amount = std::max(amount, left);
      left = init ? amount : 0;
      container.requests.Set(row.resource, amount);
      container.limits.Set(row.resource, amount);
    };
    for (cluster::Container& each : pod.init_containers) ask(each, !each.restartable);
    for (cluster::Container& each : pod.containers) ask(each, false);
  }
  int number = 0;
  for (auto* containers : {&pod.init_containers, &pod.containers}) {
    for (cluster::Container& each : *containers) each.name = "c" + std::to_string(number++);
  }
  return pod;
}

// What no zone lists kube-scheduler counts, who never lets a pod through that asks for more than is free.
void KubeletWorld::LeaveWhatIsShort() {
  for (const DeviceResource& row : machine_.devices) {
    if (std::ranges::any_of(row.groups, [](const DeviceGroup& each) { return each.zones != 0; })) continue;
    int64_t free = 0;
    for (const DeviceGroup& each : row.groups) free += each.free;
    for (auto* containers : {&asks_.init_containers, &asks_.containers}) {
      for (cluster::Container& each : *containers) {
        if (each.limits.Get(row.resource) > free) {
          each.requests.Set(row.resource, 0);
          each.limits.Set(row.resource, 0);
        }
        free -= each.limits.Get(row.resource);
      }
    }
  }
}

void KubeletWorld::Live() {
  for (int i = Number(0, 16); i > 0; --i) {
    if (!here_.empty() && Chance(25)) {
      const auto gone = here_.begin() + Number(0, static_cast<int>(here_.size()) - 1);
      Release(*gone);
      here_.erase(gone);
      continue;
    }
    const cluster::Pod pod = NewPod(Chance(85));
    const NaiveResult result = NaiveAdmit(machine_, pod);
    if (result.outcome != "admitted") continue;
    here_.push_back({pod, result.containers});
    machine_.free_cpus = CpuSet();
    for (Zone& zone : machine_.zones) zone.cpu_free = 0;
    for (int cpu : result.free_cpus) {
      machine_.free_cpus.Add(static_cast<size_t>(cpu));
      ++machine_.zones[machine_.layout->cpus()[static_cast<size_t>(cpu)].zone].cpu_free;
    }
    for (size_t z = 0; z < machine_.zones.size(); ++z) {
      machine_.zones[z].memory_blocks = result.memory_blocks[z];
      machine_.zones[z].memory_group = 0;
      for (int member : result.memory_groups[z]) {
        machine_.zones[z].memory_group |= ZoneBit(static_cast<size_t>(member));
      }
      for (MemoryResource& row : machine_.memory) row.zones[z].free = result.free_memory.at(row.resource)[z];
    }
    for (DeviceResource& row : machine_.devices) {
      for (size_t i = 0; i < row.groups.size(); ++i) {
        row.groups[i].free = result.free_devices.at(row.resource).contains(static_cast<int>(i)) ? 1 : 0;
      }
    }
  }
}

void KubeletWorld::Release(const Held& held) {
  for (const NaiveContainer& container : held.containers) {
    for (int cpu : container.cpus) {
      const auto position = static_cast<size_t>(cpu);
      // Also held by an init container of the pod, or reserved: of a core that looks whole kubelet takes all CPUs.
      if (machine_.free_cpus.Has(position) || reserved_.Has(position)) continue;
      machine_.free_cpus.Add(position);
      ++machine_.zones[machine_.layout->cpus()[position].zone].cpu_free;
    }
    for (const auto& [resource, devices] : container.devices) {
      for (DeviceResource& row : machine_.devices) {
        if (row.resource != resource) continue;
        for (int device : devices) row.groups[static_cast<size_t>(device)].free = 1;
      }
    }
    for (const auto& [resource, block] : container.memory) ReleaseMemory(resource, block.first, block.second);
  }
}

// pkg/kubelet/cm/memorymanager/policy_static.go, RemoveContainer: whatever the zones gave, they get it back in
// ascending order, each no more than is taken of it.
void KubeletWorld::ReleaseMemory(ResourceId resource, int64_t bytes, const std::set<int>& zones) {
  for (MemoryResource& row : machine_.memory) {
    if (row.resource != resource) continue;
    for (int member : zones) {
      const auto z = static_cast<size_t>(member);
      Zone& zone = machine_.zones[z];
      if (--zone.memory_blocks == 0) zone.memory_group = ZoneBit(z);
      const int64_t part = std::min(bytes, row.zones[z].allocatable - row.zones[z].free);
      row.zones[z].free += part;
      bytes -= part;
    }
  }
}

json::array KubeletWorld::CoresText() const {
  json::array cores;
  const CpuLayout& layout = *machine_.layout;
  for (size_t cpu = 0; cpu < layout.cpus().size(); ++cpu) {
    if (layout.cpus()[cpu].core != cpu) continue;
    std::vector<int> ids;
    for (uint16_t sibling : layout.InCore(cpu)) ids.push_back(layout.cpus()[sibling].id);
    const size_t zone = layout.cpus()[cpu].zone;
    cores.push_back(json::string(Concat(std::to_string(machine_.zones[zone].id), ":",
                                        std::to_string(machine_.zones[zone].socket), ":-1:", ListText(ids))));
  }
  return cores;
}

json::object KubeletWorld::ZoneText(size_t z) const {
  const Zone& zone = machine_.zones[z];
  json::object memory, devices, costs;
  for (const MemoryResource& row : machine_.memory) {
    const bool tracked = machine_.options.static_memory;
    memory[names_.Name(row.resource)] = {{"capacity", row.zones[z].allocatable},
                                         {"allocatable", row.zones[z].allocatable},
                                         {"available", tracked ? row.zones[z].free : row.zones[z].allocatable}};
  }
  for (const DeviceResource& row : machine_.devices) {
    int total = 0, free = 0, healthy = 0;
    for (size_t i = 0; i < row.groups.size(); ++i) {
      if ((row.groups[i].zones & ZoneBit(z)) == 0) continue;
      ++total;
      free += row.groups[i].free;
      healthy += row.groups[i].free;
      for (const Held& held : here_) {
        healthy += std::ranges::any_of(held.containers, [&](const NaiveContainer& container) {
          const auto taken = container.devices.find(row.resource);
          return taken != container.devices.end() && taken->second.contains(static_cast<int>(i));
        });
      }
    }
    if (total > 0) devices[names_.Name(row.resource)] = {{"total", total}, {"healthy", healthy}, {"free", free}};
  }
  for (size_t to = 0; to < machine_.zones.size(); ++to) {
    costs[std::to_string(machine_.zones[to].id)] = machine_.distance[z * machine_.zones.size() + to];
  }
  json::object text = {
      {"id", zone.id},
      {"socket", zone.cpu_capacity > 0 ? json::value(zone.socket) : json::value()},
      {"cpu", {{"capacity", zone.cpu_capacity}, {"allocatable", zone.cpu_allocatable}, {"available", zone.cpu_free}}},
      {"memory", memory},
      {"devices", devices},
      {"costs", costs}};
  if (CountZones(zone.memory_group) > 1) {
    json::array group;
    for (size_t member : ZonesIn{zone.memory_group}) group.push_back(machine_.zones[member].id);
    text["memory_group"] = group;
  }
  return text;
}

json::object KubeletWorld::Vector() const {
  constexpr const char* kPolicies[] = {"none", "best-effort", "restricted", "single-numa-node"};
  const Options& options = machine_.options;
  json::object topology_options, cpu_options, allocatable;
  if (options.prefer_closest) topology_options["prefer-closest-numa-nodes"] = "true";
  if (options.full_cores_only) cpu_options["full-pcpus-only"] = "true";
  if (options.distribute_across_zones) cpu_options["distribute-cpus-across-numa"] = "true";
  if (options.align_by_socket) cpu_options["align-by-socket"] = "true";
  json::array zones, pods;
  for (size_t z = 0; z < machine_.zones.size(); ++z) zones.push_back(ZoneText(z));
  for (const Held& held : here_) {
    json::array containers;
    for (const NaiveContainer& container : held.containers) {
      json::object devices;
      for (const auto& [resource, taken] : container.devices) {
        json::array ids;
        for (int device : taken) ids.push_back(json::string(Concat("d", std::to_string(device))));
        devices[names_.Name(resource)] = ids;
      }
      containers.push_back(json::object{{"devices", devices}});
    }
    pods.push_back({{"name", std::to_string(pods.size())}, {"containers", containers}});
  }
  for (const DeviceResource& row : machine_.devices) allocatable[names_.Name(row.resource)] = row.healthy;
  return {{"kubelet",
           {{"topology_policy", kPolicies[static_cast<size_t>(options.policy)]},
            {"topology_scope", options.scope == TopologyManagerScope::kPod ? "pod" : "container"},
            {"topology_options", topology_options},
            {"cpu_manager", options.static_cpus ? "static" : "none"},
            {"cpu_options", cpu_options},
            {"memory_manager", options.static_memory ? "Static" : "None"}}},
          {"node", {{"allocatable", allocatable}}},
          {"zones", zones},
          {"cores", CoresText()},
          {"pods", pods}};
}

}  // namespace huygens::kubelet::test
