// Turns a recorded admission of kubelet (kubelet_topology.jsonl.gz) into a machine and a pod.
#pragma once

#include <algorithm>
#include <boost/json.hpp>
#include <map>
#include <string>
#include <vector>

#include "kubelet/admission.h"
#include "kubelet/published.h"
#include "tests/placement/vectors.h"

namespace huygens::kubelet::test {

namespace json = boost::json;

inline std::string Str(const json::value& value) { return std::string(value.as_string()); }

inline std::vector<int> CpuList(std::string_view text) {
  std::vector<int> cpus;
  for (size_t at = 0; at < text.size();) {
    size_t end = std::min(text.find(',', at), text.size());
    std::string part(text.substr(at, end - at));
    size_t dash = part.find('-');
    int first = std::stoi(part), last = dash == std::string::npos ? first : std::stoi(part.substr(dash + 1));
    for (int cpu = first; cpu <= last; ++cpu) cpus.push_back(cpu);
    at = end + 1;
  }
  return cpus;
}

inline bool Option(const json::object& options, std::string_view name) {
  return options.contains(name) && options.at(name).as_string() == "true";
}

inline ResourceVector Amounts(ResourceNames& names, const json::object& holder, std::string_view key) {
  ResourceVector amounts;
  if (!holder.contains(key)) return amounts;
  for (const auto& [name, amount] : holder.at(key).as_object()) {
    if (name == "cpu_milli") {
      amounts.Set(kCpu, amount.to_number<int64_t>());
    } else {
      amounts.Set(*names.Intern(std::string_view(name)), amount.to_number<int64_t>());
    }
  }
  return amounts;
}

inline cluster::Pod ReadPod(ResourceNames& names, const json::object& pod) {
  cluster::Pod result;
  for (const json::value& each : pod.at("containers").as_array()) {
    const json::object& container = each.as_object();
    const std::string kind = Str(container.at("kind"));
    (kind == "app" ? result.containers : result.init_containers)
        .push_back({.name = Str(container.at("name")),
                    .requests = Amounts(names, container, "requests"),
                    .limits = Amounts(names, container, "limits"),
                    .restartable = kind == "sidecar"});
  }
  if (pod.contains("pod_resources")) {
    ResourceVector amounts = Amounts(names, pod, "pod_resources");
    result.pod_level.emplace(cluster::PodResources{amounts, amounts});
  }
  return result;
}

// What is told of a machine besides the amounts per zone that a topology object of the community carries, those of the
// Node, and the kubelet's options.
struct Facts {
  bool threads = true;      // how many threads a core has
  bool free_cpus = true;    // the cores, and which CPUs are free
  bool each_device = true;  // each device with its zones
};

inline Machine MachineOf(ResourceNames& names, const json::object& vector, const Facts& facts = {}) {
  const json::object& kubelet = vector.at("kubelet").as_object();
  const json::object& cpu_options = kubelet.at("cpu_options").as_object();
  const std::string policy = Str(kubelet.at("topology_policy"));
  Machine machine;
  machine.options = {.policy = policy == "none"          ? TopologyManagerPolicy::kNone
                               : policy == "best-effort" ? TopologyManagerPolicy::kBestEffort
                               : policy == "restricted"  ? TopologyManagerPolicy::kRestricted
                                                         : TopologyManagerPolicy::kSingleNumaNode,
                     .scope = kubelet.at("topology_scope").as_string() == "pod" ? TopologyManagerScope::kPod
                                                                                : TopologyManagerScope::kContainer,
                     .prefer_closest = Option(kubelet.at("topology_options").as_object(), "prefer-closest-numa-nodes"),
                     .static_cpus = kubelet.at("cpu_manager").as_string() == "static",
                     .static_memory = kubelet.at("memory_manager").as_string() == "Static",
                     .full_cores_only = Option(cpu_options, "full-pcpus-only"),
                     .distribute_across_zones = Option(cpu_options, "distribute-cpus-across-numa"),
                     .distribute_across_cores = Option(cpu_options, "distribute-cpus-across-cores"),
                     .align_by_socket = Option(cpu_options, "align-by-socket"),
                     .align_by_uncore_cache = Option(cpu_options, "prefer-align-cpus-by-uncorecache")};
  const json::array& zones = vector.at("zones").as_array();
  std::map<int, size_t> position;
  for (const json::value& zone : zones) position.emplace(zone.at("id").to_number<int>(), position.size());
  std::map<ResourceId, MemoryResource> memory;
  std::map<ResourceId, DeviceResource> devices;
  std::vector<int> free_cpus;
  for (const json::value& each : zones) {
    const json::object& zone = each.as_object();
    const size_t z = machine.zones.size();
    const json::object& cpu = zone.at("cpu").as_object();
    Zone result{.id = zone.at("id").to_number<int>(),
                .socket = zone.at("socket").is_null() ? -1 : zone.at("socket").to_number<int>(),
                .cpu_capacity = cpu.at("capacity").to_number<int>(),
                .cpu_allocatable = cpu.at("allocatable").to_number<int>(),
                .cpu_free = cpu.at("available").to_number<int>(),
                .memory_blocks = zone.at("memory_assignments").to_number<int>(),
                .memory_group = ZoneBit(z)};
    if (zone.contains("memory_group")) {
      result.memory_group = 0;
      for (const json::value& id : zone.at("memory_group").as_array()) {
        result.memory_group |= ZoneBit(position.at(id.to_number<int>()));
      }
    }
    machine.zones.push_back(result);
    for (const auto& [name, amounts] : zone.at("memory").as_object()) {
      ResourceId resource = *names.Intern(std::string_view(name));
      memory[resource].zones.resize(zones.size());
      memory[resource].zones[z] = {amounts.at("allocatable").to_number<int64_t>(),
                                   amounts.at("available").to_number<int64_t>()};
    }
    if (zone.contains("devices")) {
      for (const auto& [name, amounts] : zone.at("devices").as_object()) {
        DeviceResource& row = devices[*names.Intern(std::string_view(name))];
        if (facts.each_device) continue;
        row.healthy += amounts.at("healthy").to_number<int>();
        row.groups.push_back({ZoneBit(z), amounts.at("total").to_number<int>(), amounts.at("free").to_number<int>()});
      }
    }
    for (int id : CpuList(Str(zone.at("available_cpus")))) free_cpus.push_back(id);
  }
  for (const json::value& zone : zones) {
    for (const auto& [id, index] : position) {
      machine.distance.push_back(zone.at("costs").as_object().at(std::to_string(id)).to_number<int>());
    }
  }
  if (facts.each_device && vector.contains("devices")) {
    std::map<ResourceId, std::vector<std::string>> held;
    for (const json::value& pod : vector.at("pods").as_array()) {
      for (const json::value& container : pod.at("containers").as_array()) {
        if (!container.as_object().contains("devices")) continue;
        for (const auto& [name, ids] : container.at("devices").as_object()) {
          for (const json::value& id : ids.as_array()) held[*names.Intern(std::string_view(name))].push_back(Str(id));
        }
      }
    }
    std::vector<const json::object*> by_id;
    for (const json::value& device : vector.at("devices").as_array()) by_id.push_back(&device.as_object());
    std::stable_sort(by_id.begin(), by_id.end(), [](const json::object* a, const json::object* b) {
      return a->at("id").as_string() < b->at("id").as_string();
    });
    for (const json::object* device : by_id) {
      ResourceId resource = *names.Intern(std::string_view(device->at("resource").as_string()));
      const auto& taken = held[resource];
      const bool healthy = device->at("healthy").as_bool();
      const bool free = healthy && std::find(taken.begin(), taken.end(), Str(device->at("id"))) == taken.end();
      DeviceGroup group{.zones = 0, .total = 1, .free = free ? 1 : 0};
      if (!device->at("zones").is_null()) {
        for (const json::value& id : device->at("zones").as_array()) {
          group.zones |= ZoneBit(position.at(id.to_number<int>()));
        }
      }
      devices[resource].healthy += healthy ? 1 : 0;
      devices[resource].groups.push_back(group);
    }
  }
  for (auto& [resource, row] : memory) {
    row.resource = resource;
    machine.memory.push_back(row);
  }
  for (auto& [resource, row] : devices) {
    row.resource = resource;
    machine.devices.push_back(row);
  }
  if (!facts.each_device) {
    const json::object& node = vector.at("node").as_object();
    SetDevicesOfNoZone(machine, Amounts(names, node, "allocatable"));
    CountDevicesOfNoZone(machine, Amounts(names, node, "requested"));
  }
  std::vector<LogicalCpu> cpus;
  {
    for (const json::value& each : vector.at("cores").as_array()) {
      std::string core = Str(each);
      size_t a = core.find(':'), b = core.find(':', a + 1), c = core.find(':', b + 1);
      std::vector<int> ids = CpuList(core.substr(c + 1));
      for (int id : ids) {
        cpus.push_back({.id = id,
                        .core = ids.front(),
                        .zone = position.at(std::stoi(core)),
                        .socket = std::stoi(core.substr(a + 1)),
                        .uncore_cache = std::stoi(core.substr(b + 1))});
      }
    }
  }
  auto layout = CpuLayout::Make(std::move(cpus), CpuList(Str(kubelet.at("reserved_cpus"))));
  if (facts.threads) machine.options.threads_per_core = layout->cpus_per_core();
  if (facts.free_cpus) {
    machine.free_cpus = layout->Positions(free_cpus);
    machine.knows_free_cpus = true;
    machine.layout = std::move(layout);
  }
  return machine;
}

}  // namespace huygens::kubelet::test
