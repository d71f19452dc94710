#include "admin/debug_json.h"

#include "admin/explanation.h"
#include "admin/outgrown_zones.h"
#include "admin/usage_json.h"
#include "placement/node_fit.h"

namespace huygens::admin {

namespace {

using admin_api::AmountsOf;
using admin_api::NodeDocument;
using admin_api::QuantityText;

int64_t Seconds(Duration duration) { return std::chrono::duration_cast<std::chrono::seconds>(duration).count(); }

admin_api::NodeHead HeadOf(const placement::Placement& placement, cluster::NodeIndex index,
                           const ResourceNames& resources) {
  const cluster::State& state = placement.state();
  const cluster::Node* known = state.GetNode(index);
  return {.name = std::string(state.NodeName(index)),
          .known = known != nullptr,
          .mode = std::string(placement.Zones(index).Name(index)),
          .allocatable = AmountsOf(known != nullptr ? known->allocatable : ResourceVector(), resources),
          .requested = AmountsOf(state.RequestedOn(index), resources)};
}

NodeDocument::Zone ZoneOf(const placement::ZoneDescription& zone, const ResourceNames& resources) {
  NodeDocument::Zone said{.name = zone.name,
                          .zone = zone.zone,
                          .absent = !zone.present,
                          .stale = zone.stale,
                          .allocatable = AmountsOf(zone.allocatable, resources)};
  if (zone.offline_cpu) said.offline_cpu = QuantityText(kCpu, *zone.offline_cpu);
  if (zone.offline_updated) said.offline_updated = FormatRfc3339(*zone.offline_updated);
  if (zone.available) {
    said.available = AmountsOf(*zone.available, resources);
  } else {
    said.effective = AmountsOf(zone.effective, resources);
    said.used = AmountsOf(zone.used, resources);
  }
  said.free = AmountsOf(zone.free, resources);
  if (zone.cores > 0) {
    said.cores = zone.cores;
    said.whole_cores = zone.whole_cores;
  }
  return said;
}

NodeDocument::Pod PodOf(const placement::NodeDescription::PodOnNode& pod, const cluster::State& state,
                        const ResourceNames& resources) {
  NodeDocument::Pod said{.pod = pod.key, .uid = pod.uid};
  if (const cluster::PlacedPod* placed = state.FindPlaced(pod.uid)) {
    for (const auto& [resource, amount] : placement::PlacedRequestsOf(*placed->pod)) {
      if (resource != kPodSlots) said.requests.emplace_back(resources.Name(resource), QuantityText(resource, amount));
    }
  }
  if (pod.reservation) said.reservation = cluster::Name(*pod.reservation);
  if (pod.kubelet) {
    said.counted = pod.kubelet->contained           ? "published"
                   : !pod.kubelet->observed.empty() ? "observed"
                   : pod.kubelet->known             ? "predicted"
                                                    : "everyZone";
  }
  for (const cluster::ZoneShare& share : pod.zones) {
    said.zones.push_back({share.name, share.zone, AmountsOf(share.amount, resources)});
  }
  return said;
}

}  // namespace

void SayLossLeft(Duration left, const placement::Options& options, std::optional<int64_t>& left_seconds,
                 std::optional<int64_t>& grace_seconds) {
  left_seconds = Seconds(left);
  grace_seconds = Seconds(options.topology.loss_grace);
}

admin_api::NodeListDocument::Node SummarizeNode(const placement::Placement& placement, cluster::NodeIndex node,
                                                const ResourceNames& resources) {
  return {HeadOf(placement, node, resources), static_cast<int64_t>(placement.state().PodsOn(node).size())};
}

std::optional<NodeDocument> DescribeNode(const placement::Placement& placement, std::string_view name, Time now,
                                         const ResourceNames& resources, std::vector<std::string> ignored) {
  auto node = placement.Describe(name, now);
  const auto index = placement.state().FindNode(name);
  if (!node || !index) return std::nullopt;
  NodeDocument said{HeadOf(placement, *index, resources)};
  said.single_numa = node->single_numa;
  said.lost_topology = node->lost_topology;
  if (const auto left = placement.state().LossLeft(*index)) {
    SayLossLeft(*left, placement.options(), said.loss_left_seconds, said.loss_grace_seconds);
  }
  said.defect = node->defect;
  const cluster::NodeTopology* topology = placement.state().Topology(*index);
  if (topology != nullptr && topology->written) said.topology_written = FormatRfc3339(*topology->written);
  said.notices = std::move(ignored);
  if (placement.state().TopologyGivenUp(*index)) {
    said.notices.push_back(Concat(GivenUpText(placement.options().topology.loss_grace),
                                  ": the node counts as one without, which gives no zones"));
  }
  if (!node->unknown_setting.empty()) said.notices.push_back(node->unknown_setting);
  if (std::string outgrown = OutgrownNotice(OutgrownOn(placement, *index, now), resources); !outgrown.empty()) {
    said.notices.push_back(std::move(outgrown));
  }
  for (const kubelet::Setting& each : node->kubelet) {
    said.kubelet.push_back({each.name, each.value, std::string(kubelet::Text(each.source))});
  }
  for (const placement::ZoneDescription& zone : node->zones) said.zones.push_back(ZoneOf(zone, resources));
  for (const auto& pod : node->pods) said.pods.push_back(PodOf(pod, placement.state(), resources));
  if (!node->usage.empty()) {
    said.usage = WeekOf(placement, *index, node->usage, now);
  } else if (placement.usage().options().resources.empty()) {
    said.no_usage = WhyNoUsage(placement.options());
  }
  return said;
}

}  // namespace huygens::admin
