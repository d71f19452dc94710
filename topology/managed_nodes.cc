// What people are shown of the nodes that ZoneAccount judges.
#include <algorithm>

#include "topology/why_no_zones.h"
#include "topology/zone_account.h"

namespace huygens::topology {

namespace {

ResourceVector Named(const Amounts& amounts, std::span<const ResourceId> resources) {
  ResourceVector named;
  for (size_t r = 0; r < resources.size(); ++r) named.Set(resources[r], amounts[r]);
  return named;
}

}  // namespace

std::string_view ZoneAccount::Name(NodeIndex node) const {
  switch (Mode(node)) {
    case NodeMode::kManaged:
      return "managed";
    case NodeMode::kUnusable:
      return kUnusable;
    case NodeMode::kKubelet:
    case NodeMode::kNoTopology:
      break;
  }
  return "none";
}

std::optional<std::vector<ZoneDescription>> ZoneAccount::Describe(NodeIndex node, const cluster::NodeTopology* topology,
                                                                  Time now) const {
  const auto& resources = options_.managed_resources;
  std::vector<ZoneDescription> zones;
  for (const ZoneFigures& figures : Figures(node, now)) {
    ZoneDescription& zone = zones.emplace_back();
    zone.zone = figures.zone;
    zone.name = cluster::ZoneName(figures.zone, topology);
    zone.present = figures.present;
    zone.stale = figures.stale;
    zone.allocatable = Named(figures.allocatable, resources);
    zone.effective = Named(figures.effective, resources);
    zone.used = Named(figures.used, resources);
    zone.free = Named(figures.free, resources);
    zone.cores = figures.cores;
    zone.whole_cores = figures.whole_cores;
    if (!topology) continue;
    const auto object = std::ranges::find(topology->zones, figures.zone, &cluster::Zone::id);
    if (object == topology->zones.end()) continue;
    zone.offline_cpu = object->offline_cpu;
    zone.offline_updated = object->offline_updated;
  }
  return zones;
}

size_t ZoneAccount::Overcommitted(NodeIndex node, Time now) const {
  if (Mode(node) != NodeMode::kManaged) return 0;
  const auto over = [&](const Zone& zone) {
    for (size_t r = 0; r < zone.used.size(); ++r) {
      if (zone.used[r] > Effective(zone, r, now)) return true;
    }
    return false;
  };
  const NodeBook& zones = nodes_[node];
  return static_cast<size_t>(std::count_if(zones.zones.begin(), zones.zones.end(), over)) + zones.elsewhere.size();
}

std::string ZoneAccount::WhyNoZones(NodeIndex node, std::string_view name, const cluster::NodeTopology* topology,
                                    const cluster::Pod& pod) const {
  switch (Mode(node)) {
    case NodeMode::kNoTopology:
      return Concat(name, " has no NodeResourceTopology");
    case NodeMode::kUnusable:
      return Concat("the NodeResourceTopology of ", name, " cannot be used",
                    topology ? Concat(": ", topology->defect) : std::string());
    case NodeMode::kKubelet:
    case NodeMode::kManaged:
      break;
  }
  return topology::WhyNoZones(pod, options_.managed_resources);
}

}  // namespace huygens::topology
