// What people are shown of a node.
#include <algorithm>

#include "placement/placement.h"

namespace huygens::placement {

namespace {

// Which zone an amount belongs to, as crane writes it where the object no longer names the zone.
std::string CraneZoneName(int zone) { return Concat("node", std::to_string(zone)); }

ResourceVector Named(const topology::Amounts& amounts, std::span<const ResourceId> resources) {
  ResourceVector named;
  for (size_t r = 0; r < resources.size(); ++r) named.Set(resources[r], amounts[r]);
  return named;
}

}  // namespace

std::vector<ZoneShare> Placement::Shares(NodeIndex node, std::span<const cluster::ZoneAmount> zones) const {
  const cluster::NodeTopology* topology = state_.Topology(node);
  std::vector<ZoneShare> shares;
  for (const cluster::ZoneAmount& amount : zones) {
    ZoneShare share{CraneZoneName(amount.zone), amount.zone, amount.amount};
    if (topology) {
      for (const cluster::Zone& zone : topology->zones) {
        if (zone.id == amount.zone) share.name = zone.name;
      }
    }
    shares.push_back(std::move(share));
  }
  std::sort(shares.begin(), shares.end(), [](const ZoneShare& a, const ZoneShare& b) { return a.name < b.name; });
  return shares;
}

void Placement::DescribeKubelet(NodeIndex node, const cluster::NodeTopology& topology,
                                NodeDescription& description) const {
  const std::vector<cluster::ZoneAmount> free = kubelet::FreeOf(kubelet_.Free(node));
  for (const cluster::Zone& zone : topology.zones) {
    ZoneDescription described{.zone = zone.id, .name = zone.name};
    described.allocatable = zone.allocatable;
    described.available = zone.available;
    for (const cluster::ZoneAmount& each : free) {
      if (each.zone == zone.id) described.free = each.amount;
    }
    description.zones.push_back(std::move(described));
  }
}

std::vector<std::shared_ptr<const cluster::Pod>> Placement::OutgrownPods(NodeIndex node) const {
  std::vector<std::shared_ptr<const cluster::Pod>> outgrown;
  for (const cluster::PlacedPod* placed : state_.PodsOn(node)) {
    if (zones_.Outgrown(*placed)) outgrown.push_back(placed->pod);
  }
  return outgrown;
}

std::optional<NodeDescription> Placement::Describe(std::string_view node_name, Time now) const {
  auto node = state_.FindNode(node_name);
  if (!node) return std::nullopt;
  const auto& resources = zones_.options().managed_resources;
  const cluster::NodeTopology* topology = state_.Topology(*node);
  NodeDescription description;
  description.name = node_name;
  description.mode = zones_.Mode(*node);
  description.single_numa = zones_.SingleNuma(*node);
  if (topology) {
    description.lost_topology = state_.TopologyLost(*node);
    description.defect = topology->defect;
    description.unknown_setting = kubelet::UnknownSetting(*topology);
  }
  if (kubelet_.Predicts(*node)) {
    description.kubelet = kubelet::SettingsOf(*topology, state_.GetNode(*node), options_.kubelet);
    DescribeKubelet(*node, *topology, description);
  }
  for (const auto& figures : zones_.Figures(*node, now)) {
    if (kubelet_.Predicts(*node)) break;
    ZoneDescription zone;
    zone.zone = figures.zone;
    zone.name = CraneZoneName(figures.zone);
    zone.present = figures.present;
    zone.stale = figures.stale;
    zone.allocatable = Named(figures.allocatable, resources);
    zone.effective = Named(figures.effective, resources);
    zone.used = Named(figures.used, resources);
    zone.free = Named(figures.free, resources);
    zone.cores = figures.cores;
    zone.whole_cores = figures.whole_cores;
    if (topology) {
      for (const cluster::Zone& each : topology->zones) {
        if (each.id != figures.zone) continue;
        zone.name = each.name;
        zone.offline_cpu = each.offline_cpu;
      }
    }
    description.zones.push_back(std::move(zone));
  }
  description.usage = usage_.Figures(*node, now);
  std::vector<kubelet::Account::PodFigures> in_kubelet;
  if (kubelet_.Predicts(*node)) in_kubelet = kubelet_.Pods(*node);
  for (const cluster::PlacedPod* placed : state_.PodsOn(*node)) {
    const cluster::Ledger::Entry* entry = state_.ledger().Find(placed->pod->uid);
    NodeDescription::PodOnNode pod{placed->pod->Key(), placed->pod->uid, Shares(*node, placed->zones), std::nullopt};
    if (entry) pod.reservation = entry->state;
    for (const auto& figures : in_kubelet) {
      if (figures.uid != pod.uid) continue;
      pod.kubelet = figures;
      if (!figures.observed.empty()) pod.zones = Shares(*node, figures.observed);
    }
    description.pods.push_back(std::move(pod));
  }
  std::sort(description.pods.begin(), description.pods.end(),
            [](const auto& a, const auto& b) { return a.uid < b.uid; });
  return description;
}

}  // namespace huygens::placement
