#include "admin/outgrown_zones.h"

#include <algorithm>
#include <span>
#include <utility>

#include "admin_api/amounts.h"
#include "admin_api/sentences.h"
#include "topology/zone_request.h"

namespace huygens::admin {

namespace {

using admin_api::AmountsOf;
using admin_api::PodDocument;
using placement::ZoneDescription;

constexpr size_t kMostNamed = 5;  // pods of a notice

// Leaves out of `bound` and `asks` what the pod does not ask more of.
void SetGrowth(const cluster::PlacedPod& placed, std::span<const ResourceId> managed, OutgrownPod& outgrown) {
  const topology::Amounts asked = topology::PlacedAmounts(*placed.pod, managed);
  for (size_t r = 0; r < asked.size(); ++r) {
    int64_t bound = 0;
    for (const cluster::ZoneAmount& zone : placed.zones) bound += zone.amount.Get(managed[r]);
    if (bound == 0 || asked[r] <= bound) continue;
    outgrown.bound.Set(managed[r], bound);
    outgrown.asks.Set(managed[r], asked[r]);
  }
}

bool Holds(const cluster::PlacedPod& placed, int zone) {
  return std::ranges::find(placed.zones, zone, &cluster::ZoneAmount::zone) != placed.zones.end();
}

// With what is over-used alone.
std::vector<ZoneDescription> OverUsed(const std::vector<ZoneDescription>& zones, const cluster::PlacedPod& placed,
                                      const ResourceVector& asks) {
  std::vector<ZoneDescription> over;
  for (const ZoneDescription& zone : zones) {
    if (zone.available || !Holds(placed, zone.zone)) continue;
    ZoneDescription each{.zone = zone.zone, .name = zone.name};
    for (const auto& [resource, amount] : asks) {
      if (zone.used.Get(resource) <= zone.effective.Get(resource)) continue;
      each.effective.Set(resource, zone.effective.Get(resource));
      each.used.Set(resource, zone.used.Get(resource));
    }
    if (each.used != ResourceVector()) over.push_back(std::move(each));
  }
  return over;
}

}  // namespace

std::vector<OutgrownPod> OutgrownOn(const placement::Placement& placement, cluster::NodeIndex node, Time now) {
  std::vector<OutgrownPod> outgrown;
  if (placement.OvercommittedZones(node, now) == 0) return outgrown;
  const auto grown = placement.OutgrownPods(node);
  if (grown.empty()) return outgrown;
  const cluster::State& state = placement.state();
  const auto zones = placement.Zones(node).Describe(node, state.Topology(node), now);
  if (!zones) return outgrown;
  for (const std::shared_ptr<const cluster::Pod>& pod : grown) {
    const cluster::PlacedPod* placed = state.FindPlaced(pod->uid);
    if (placed == nullptr) continue;
    OutgrownPod each{.pod = pod, .bound = {}, .asks = {}, .zones = {}};
    SetGrowth(*placed, placement.options().topology.managed_resources, each);
    each.zones = OverUsed(*zones, *placed, each.asks);
    if (!each.zones.empty()) outgrown.push_back(std::move(each));
  }
  std::ranges::sort(outgrown, {}, [](const OutgrownPod& each) -> std::string_view { return each.pod->uid; });
  return outgrown;
}

PodDocument::Outgrown DocumentOf(const OutgrownPod& pod, const ResourceNames& resources) {
  PodDocument::Outgrown said{
      .bound = AmountsOf(pod.bound, resources), .asks = AmountsOf(pod.asks, resources), .zones = {}};
  for (const ZoneDescription& zone : pod.zones) {
    said.zones.push_back({zone.name, AmountsOf(zone.effective, resources), AmountsOf(zone.used, resources)});
  }
  return said;
}

std::string OutgrownNotice(const std::vector<OutgrownPod>& pods, const ResourceNames& resources) {
  if (pods.empty()) return "";
  std::string text = "pods that were resized in place outgrew their zones: ";
  const size_t named = std::min(pods.size(), kMostNamed);
  for (size_t i = 0; i < named; ++i) {
    text +=
        Concat(i == 0 ? "" : "; ", pods[i].pod->Key(), " ", admin_api::OutgrownText(DocumentOf(pods[i], resources)));
  }
  if (named < pods.size()) text += Concat("; and ", std::to_string(pods.size() - named), " more pods");
  return text +
         ". What they lack is shared with others there: shrink them, or delete them so that they are placed anew";
}

}  // namespace huygens::admin
