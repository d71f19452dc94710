// Crane's object: of a node whose agent pins, and of one that kubelet pins.
#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "base/resource.h"
#include "base/text.h"
#include "publish/huge_pages.h"
#include "publish/objects.h"
#include "publish/own_attributes.h"
#include "publish/policy_attributes.h"
#include "publish/reserved_cpus.h"
#include "publish/socket_names.h"
#include "publish/topology_object.h"

namespace huygens::publish {
namespace {

using machine::Ids;

std::string CraneName(int zone) { return Concat("node", std::to_string(zone)); }

// Of what is reserved of memory as a whole, the lowest zones give first, as in crane's agent.
class MemoryKept {
 public:
  explicit MemoryKept(const kubelet_api::RunningConfiguration& kubelet) : kubelet_(kubelet) {
    left_ = kubelet_api::ReservedOf(kubelet, "memory").Value();
  }
  int64_t Of(int zone, int64_t has) {
    int64_t kept = 0;
    if (kubelet_.reserved_memory.empty()) {
      kept = std::clamp<int64_t>(left_, 0, has);
      left_ -= kept;
      return kept;
    }
    for (const kubelet_api::ReservedMemory& each : kubelet_.reserved_memory) {
      if (each.zone != zone) continue;
      for (const auto& [name, amount] : each.limits) kept = SaturatingAdd(kept, name == "memory" ? amount.Value() : 0);
    }
    return std::clamp<int64_t>(kept, 0, has);
  }

 private:
  const kubelet_api::RunningConfiguration& kubelet_;
  int64_t left_ = 0;
};

// "0,4;1,5": of each core those CPUs that pods can be pinned to.
std::string CoreList(const machine::Machine& machine, const Ids& assignable) {
  std::string text;
  for (const machine::Core& core : machine.cores) {
    const Ids cpus = machine::Both(core.cpus, assignable);
    if (!cpus.empty()) text += Concat(text.empty() ? "" : ";", machine::FormatIdList(cpus));
  }
  return text;
}

std::optional<int64_t> PackageOf(const machine::Machine& machine, const Ids& cpus) {
  for (const auto& [package, of_package] : machine.packages) {
    if (!machine::Both(of_package, cpus).empty()) return package;
  }
  return std::nullopt;
}

void AddMemory(const machine::Zone& zone, MemoryKept& kept, CraneResources& resources) {
  int64_t pages_bytes = 0;
  Texts pages;
  for (const machine::HugePages& each : zone.huge_pages) {
    if (each.count == 0) continue;
    pages.emplace_back(HugePagesText(each.page_kb), std::to_string(each.count * each.page_kb * 1024));
    pages_bytes += each.count * each.page_kb * 1024;
  }
  std::sort(pages.begin(), pages.end());
  for (Texts* amounts : {&resources.capacity, &resources.allocatable}) {
    amounts->insert(amounts->end(), pages.begin(), pages.end());
  }
  if (!zone.memory_kb) return;
  const int64_t bytes = *zone.memory_kb * 1024;
  const int64_t without_pages = std::max<int64_t>(bytes - pages_bytes, 0);
  resources.capacity.emplace_back("memory", std::to_string(bytes));
  resources.allocatable.emplace_back("memory", std::to_string(without_pages - kept.Of(zone.id, without_pages)));
}

void AddDevices(const pod_resources::ZoneDevices& devices, int64_t zone, CraneResources& resources) {
  const auto of_zone = devices.find(zone);
  if (of_zone == devices.end()) return;
  for (const auto& [name, count] : of_zone->second) {
    for (Texts* amounts : {&resources.capacity, &resources.allocatable}) {
      amounts->emplace_back(name, std::to_string(count.allocatable));
    }
  }
}

Texts ReservedTexts(const kubelet_api::RunningConfiguration& kubelet) {
  std::map<std::string, std::string> reserved;
  for (const kubelet_api::Amounts* amounts : {&kubelet.system_reserved, &kubelet.kube_reserved}) {
    for (const auto& [name, amount] : *amounts) reserved[name] = kubelet_api::ReservedOf(kubelet, name).Canonical();
  }
  if (kubelet.reserved_cpus) reserved["cpu"] = kubelet_api::ReservedOf(kubelet, "cpu").Canonical();
  return {reserved.begin(), reserved.end()};
}

TopologyObject CraneTopology(const NodeIdentity& node, const machine::Machine& machine,
                             const kubelet_api::RunningConfiguration& kubelet, bool managed,
                             const pod_resources::ZoneDevices* devices = nullptr) {
  const Ids reserved = ManagedReservedCpus(machine, kubelet);
  CraneObject object;
  object.metadata.name = node.name;
  if (!node.uid.empty()) object.metadata.owners.push_back({.name = node.name, .uid = node.uid});
  object.policy = {.cpu = managed ? "Static" : "None", .topology = node.aware ? "SingleNUMANodePodLevel" : "None"};
  object.reserved = ReservedTexts(kubelet);
  object.attributes = PolicyAttributes(kubelet);
  object.attributes.emplace_back("go.crane.io/reserved-system-cpus", machine::FormatIdList(reserved));
  std::sort(object.attributes.begin(), object.attributes.end());
  const SocketNames sockets(machine);
  MemoryKept kept(kubelet);
  for (const machine::Zone& zone : machine.zones) {
    const Ids assignable = machine::Without(machine::Without(zone.cpus, reserved), machine.isolated);
    CraneZone& to = object.zones.emplace_back();
    to.name = CraneName(zone.id);
    if (const auto package = PackageOf(machine, zone.cpus)) to.parent = sockets.Of(*package);
    for (size_t i = 0; i < machine.zones.size() && zone.distances.size() == machine.zones.size(); ++i) {
      to.costs.push_back({CraneName(machine.zones[i].id), zone.distances[i]});
    }
    if (managed) to.attributes.emplace_back(std::string(kCores), CoreList(machine, assignable));
    to.resources.reserved_cpus = static_cast<int64_t>(machine::Both(zone.cpus, reserved).size());
    to.resources.capacity.emplace_back("cpu", std::to_string(zone.cpus.size()));
    to.resources.allocatable.emplace_back("cpu", std::to_string(assignable.size()));
    AddMemory(zone, kept, to.resources);
    if (devices != nullptr) AddDevices(*devices, zone.id, to.resources);
  }
  return TopologyObject(std::move(object));
}

}  // namespace

TopologyObject ManagedTopology(const NodeIdentity& node, const machine::Machine& machine,
                               const kubelet_api::RunningConfiguration& kubelet,
                               const pod_resources::ZoneDevices* devices) {
  return CraneTopology(node, machine, kubelet, true, devices);
}

TopologyObject HandsOffTopology(const NodeIdentity& node, const machine::Machine& machine,
                                const kubelet_api::RunningConfiguration& kubelet) {
  return CraneTopology(node, machine, kubelet, false);
}

}  // namespace huygens::publish
