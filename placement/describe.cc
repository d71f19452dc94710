// What people are shown of a node.
#include <algorithm>

#include "placement/placement.h"

namespace huygens::placement {

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
  const cluster::NodeTopology* topology = state_.Topology(*node);
  NodeDescription description;
  description.name = node_name;
  description.mode = Zones(*node).Name(*node);
  description.single_numa = zones_.SingleNuma(*node);
  if (topology) {
    description.lost_topology = state_.TopologyLost(*node);
    description.defect = topology->defect;
    description.unknown_setting = kubelet::UnknownSetting(*topology);
  }
  if (kubelet_.Published(*node)) {
    description.kubelet = kubelet::SettingsOf(*topology, state_.GetNode(*node), options_.kubelet);
  }
  // Pods may hold zones, by their annotations, of a node of which nothing else is known.
  auto zones = Zones(*node).Describe(*node, topology, now);
  if (!zones) zones = zones_.Describe(*node, topology, now);
  description.zones = *std::move(zones);
  description.usage = usage_.Figures(*node, now);
  const std::vector<kubelet::Account::PodFigures> in_kubelet = kubelet_.Pods(*node);
  for (const cluster::PlacedPod* placed : state_.PodsOn(*node)) {
    const cluster::Ledger::Entry* entry = state_.ledger().Find(placed->pod->uid);
    NodeDescription::PodOnNode pod{placed->pod->Key(), placed->pod->uid, cluster::NameZones(placed->zones, topology),
                                   std::nullopt};
    if (entry) pod.reservation = entry->state;
    for (const auto& figures : in_kubelet) {
      if (figures.uid != pod.uid) continue;
      pod.kubelet = figures;
      if (!figures.observed.empty()) pod.zones = cluster::NameZones(figures.observed, topology);
    }
    description.pods.push_back(std::move(pod));
  }
  std::sort(description.pods.begin(), description.pods.end(),
            [](const auto& a, const auto& b) { return a.uid < b.uid; });
  return description;
}

}  // namespace huygens::placement
