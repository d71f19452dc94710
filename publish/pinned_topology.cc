// The community's object, of a node whose kubelet pins.
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "base/quantity.h"
#include "base/text.h"
#include "cluster/pod_fingerprint.h"
#include "kubelet_api/held.h"
#include "publish/huge_pages.h"
#include "publish/kubelet_cpus.h"
#include "publish/objects.h"
#include "publish/own_attributes.h"
#include "publish/policy_attributes.h"
#include "publish/reserved_cpus.h"
#include "publish/socket_names.h"
#include "publish/topology_object.h"

namespace huygens::publish {
namespace {

using kubelet_api::KubeletNode;
using kubelet_api::MemoryManagerState;
using machine::Ids;

std::string CommunityName(int64_t zone) { return Concat("node-", std::to_string(zone)); }

bool IsWhole(std::string_view cpus) {
  const StatusOr<Quantity> amount = Quantity::Parse(cpus);
  return amount.ok() && amount->Sign() > 0 && amount->MilliValue() % 1000 == 0;
}

// Whether kubelet has not given the pod yet what it is to own; it may never, where it refuses the pod.
bool IsBeingAdmitted(const kubelet_api::Pod& pod, const std::map<std::string, Ids>& owned) {
  if (!pod.guaranteed || owned.contains(pod.uid)) return false;
  return std::ranges::any_of(pod.containers, [](const kubelet_api::Container& container) {
    return container.kind != kubelet_api::ContainerKind::kInit && IsWhole(container.cpu_request);
  });
}

std::string Fingerprint(const PinnedNode& facts, const std::map<std::string, Ids>& owned) {
  cluster::HashedPods pods;
  for (const kubelet_api::Pod& pod : facts.pods) {
    if (!pod.terminal && !IsBeingAdmitted(pod, owned)) pods.Add(cluster::PodNameHash(pod.namespace_name, pod.name));
  }
  return cluster::PodFingerprintText(pods.Fingerprint());
}

CommunityResource Resource(std::string_view name, int64_t capacity, int64_t allocatable, int64_t available) {
  return {std::string(name), std::to_string(capacity), std::to_string(allocatable), std::to_string(available)};
}

// Kubelet's own figures where its memory manager has any; else nothing of it is ever taken.
void AddMemory(const KubeletNode& node, const MemoryManagerState* state, std::vector<CommunityResource>& resources) {
  if (state != nullptr) {
    const auto zone = state->zones.find(static_cast<int>(node.id));
    if (zone == state->zones.end()) return;
    for (const auto& [name, amounts] : zone->second.amounts) {
      resources.push_back(Resource(name, amounts.total, amounts.allocatable, amounts.free));
    }
    return;
  }
  int64_t pages_bytes = 0;
  for (const kubelet_api::KubeletHugePages& pages : node.huge_pages) {
    const int64_t bytes = pages.count * pages.page_kb * 1024;
    pages_bytes += bytes;
    if (bytes > 0) resources.push_back(Resource(HugePagesText(pages.page_kb), bytes, bytes, bytes));
  }
  const int64_t usable = std::max<int64_t>(node.memory_bytes - pages_bytes, 0);
  resources.push_back(Resource("memory", node.memory_bytes, usable, usable));
}

void AddDevices(const pod_resources::ZoneDevices& devices, int64_t zone, std::vector<CommunityResource>& resources) {
  const auto of_zone = devices.find(zone);
  if (of_zone == devices.end()) return;
  for (const auto& [name, count] : of_zone->second) {
    resources.push_back(Resource(name, count.allocatable, count.allocatable, count.available));
  }
}

std::string MemoryGroup(const MemoryManagerState& state, int64_t id) {
  const auto zone = state.zones.find(static_cast<int>(id));
  if (zone == state.zones.end()) return {};
  std::set<int> members(zone->second.group.begin(), zone->second.group.end());
  members.insert(static_cast<int>(id));
  std::string text;
  for (const int member : members) text += Concat(text.empty() ? "" : ",", CommunityName(member));
  return text;
}

// What the CPU manager has of one zone.
struct ZoneCpus {
  std::map<int, Ids> cores;  // by their lowest CPU
  int64_t capacity = 0, reserved = 0, owned = 0;
  std::optional<int64_t> package;
};

std::map<int64_t, ZoneCpus> CpusOfZones(const PinnedNode& facts, const std::map<std::string, Ids>& owned) {
  const Ids reserved = KubeletReservedCpus(facts.machine, facts.kubelet);
  std::set<int> taken;
  for (const auto& [uid, cpus] : owned) taken.insert(cpus.begin(), cpus.end());
  std::map<int64_t, ZoneCpus> zones;
  for (const auto& [id, cpu] : KubeletCpus(facts.machine)) {
    ZoneCpus& zone = zones[cpu.zone];
    zone.cores[cpu.core].push_back(id);
    ++zone.capacity;
    if (machine::Has(reserved, id)) {
      ++zone.reserved;
    } else if (taken.contains(id)) {
      ++zone.owned;
    }
    if (!zone.package) zone.package = cpu.package;
  }
  return zones;
}

std::string CoreTexts(const ZoneCpus& zone) {
  std::string text;
  for (const auto& [lowest, cpus] : zone.cores) text += Concat(text.empty() ? "" : ";", machine::FormatIdList(cpus));
  return text;
}

std::vector<const KubeletNode*> ById(const kubelet_api::KubeletMachine& machine) {
  std::vector<const KubeletNode*> nodes;
  for (const KubeletNode& node : machine.nodes) {
    if (node.id >= 0) nodes.push_back(&node);
  }
  std::sort(nodes.begin(), nodes.end(), [](const auto* a, const auto* b) { return a->id < b->id; });
  return nodes;
}

int64_t HighestPackage(const std::map<int64_t, ZoneCpus>& zones) {
  int64_t highest = 0;
  for (const auto& [id, zone] : zones) highest = std::max(highest, zone.package.value_or(0));
  return highest;
}

}  // namespace

TopologyObject PinnedTopology(const NodeIdentity& node, const PinnedNode& facts) {
  const std::map<std::string, Ids> owned = kubelet_api::OwnedCpus(facts.cpus, facts.pods);
  std::optional<MemoryManagerState> memory;
  if (facts.memory != nullptr) memory = kubelet_api::WithoutEnded(*facts.memory, facts.pods);
  std::map<int64_t, ZoneCpus> cpus = CpusOfZones(facts, owned);
  CommunityObject object;
  object.metadata.name = node.name;
  if (!node.uid.empty()) object.metadata.owners.push_back({.name = node.name, .uid = node.uid});
  Texts attributes = PolicyAttributes(facts.kubelet);
  attributes.emplace_back("nodeTopologyPodsFingerprint", Fingerprint(facts, owned));
  attributes.emplace_back("nodeTopologyPodsFingerprintMethod", "all");
  attributes.emplace_back("huygens.dev/init-containers", "counted");
  attributes.emplace_back("huygens.dev/reserved-cpus",
                          machine::FormatIdList(KubeletReservedCpus(facts.machine, facts.kubelet)));
  std::sort(attributes.begin(), attributes.end());
  for (auto& [name, value] : attributes) object.attributes.push_back({name, value});
  const SocketNames sockets(HighestPackage(cpus));
  const std::vector<const KubeletNode*> nodes = ById(facts.machine);
  for (const KubeletNode* each : nodes) {
    const ZoneCpus& has = cpus[each->id];
    CommunityZone& to = object.zones.emplace_back();
    to.name = CommunityName(each->id);
    if (has.package) to.parent = sockets.Of(*has.package);
    if (each->distances && each->distances->size() == nodes.size()) {
      for (size_t i = 0; i < nodes.size(); ++i) {
        to.costs.push_back({CommunityName(nodes[i]->id), (*each->distances)[i]});
      }
    }
    to.attributes.push_back({std::string(kCores), CoreTexts(has)});
    const std::string group = memory ? MemoryGroup(*memory, each->id) : "";
    if (!group.empty()) to.attributes.push_back({std::string(kMemoryGroup), group});
    to.resources.push_back(
        Resource("cpu", has.capacity, has.capacity - has.reserved, has.capacity - has.reserved - has.owned));
    AddMemory(*each, memory ? &*memory : nullptr, to.resources);
    if (facts.devices != nullptr) AddDevices(*facts.devices, each->id, to.resources);
    std::sort(to.resources.begin(), to.resources.end(),
              [](const CommunityResource& a, const CommunityResource& b) { return a.name < b.name; });
  }
  return TopologyObject(std::move(object));
}

}  // namespace huygens::publish
