#include "admin/pod_page.h"

#include <algorithm>
#include <vector>

#include "admin/debug_json.h"
#include "admin/explanation.h"
#include "admin/outgrown_zones.h"
#include "admin_api/pod_document.h"
#include "json/document.h"
#include "placement/node_fit.h"
#include "policy/explained.h"
#include "topology/why_no_zones.h"

namespace huygens::admin {

namespace {

using admin_api::AmountsOf;
using admin_api::PodDocument;
using admin_api::QuantityText;
using admin_api::ZoneShare;

constexpr size_t kNodesPerSlice = 50;
constexpr size_t kMostWithRoom = 5;  // nodes of which figures are said
constexpr size_t kMostOfGang = 5;    // pods that are named

PodDocument::Ceiling CeilingOf(const UsageShortage& shortage) {
  const bool measured = shortage.use.state == usage::MetricState::kFresh;
  return {.resource = shortage.resource,
          .needs = QuantityText(shortage.unit, shortage.needs),
          .fits = QuantityText(shortage.unit, *shortage.room),
          .requests = shortage.as_request ? QuantityText(shortage.unit, *shortage.as_request) : std::string(),
          .has_pods = shortage.largest.has_value() || !measured};
}

PodDocument::Node NodeOf(const NodeExplanation& node, const ResourceNames& resources,
                         const placement::Options& options) {
  PodDocument::Node said{.name = std::string(node.node),
                         .reason = std::string(policy::Explained(node.reason)),
                         .cause = std::string(policy::Label(node.reason)),
                         .why = Figures(node, resources, options)};
  // Real capacity comes and goes.
  said.never_fits = policy::NeverFits(node.reason) && !(node.zones && node.zones->claims_hold);
  const bool across = node.across == policy::Reason::kFits;
  said.fits_across = across && node.zones && node.zones->fits_across;
  said.holds_across = (across || policy::CurableByVictims(node.across)) && node.zones && node.zones->holds_across;
  if (node.beside && node.beside->room) said.beside = CeilingOf(*node.beside);
  said.asks = AmountsOf(node.asks, resources);
  said.unrequested = AmountsOf(node.unrequested, resources);
  said.no_pod_fits = node.usage && node.usage->own_over;
  if (node.usage && node.usage->room) said.ceiling = CeilingOf(*node.usage);
  said.insists = node.insists;
  said.gave_up_topology = node.gave_up_topology;
  said.demands_topology = node.demands_topology;
  said.gives_no_cores = node.gives_no_cores;
  said.ignored = node.ignored;
  if (said.why.empty()) return said;
  if (const auto& zones = node.zones) {
    said.figures = PodDocument::Figures{.needs = AmountsOf(zones->needs, resources),
                                        .one_zone = zones->one_zone,
                                        .container = zones->container,
                                        .zone = zones->zone,
                                        .free = AmountsOf(zones->free, resources),
                                        .of = AmountsOf(zones->of, resources)};
    if (zones->freest != zones->zone) {
      said.figures->freest = zones->freest;
      said.figures->most_free = AmountsOf(zones->most_free, resources);
    }
    for (const auto& zone : zones->stale_zones) {
      said.figures->stale_zones.push_back({.zone = zone.name,
                                           .last = zone.last ? QuantityText(kCpu, *zone.last) : std::string(),
                                           .must = QuantityText(kCpu, zone.must_give)});
    }
    if (zones->core_threads > 0) said.figures->core_threads = zones->core_threads;
    if (zones->unaccounted > 0) said.figures->unaccounted = QuantityText(kCpu, zones->unaccounted);
  }
  if (node.loss_left) SayLossLeft(*node.loss_left, options, said.loss_left_seconds, said.loss_grace_seconds);
  return said;
}

std::vector<ZoneShare> ZonesOf(const placement::Placement& placement, std::string_view node, std::string_view uid,
                               const ResourceNames& resources, Time now) {
  std::vector<ZoneShare> zones;
  const auto there = placement.Describe(node, now);
  if (!there) return zones;
  const auto pod = std::ranges::find(there->pods, uid, &placement::NodeDescription::PodOnNode::uid);
  if (pod == there->pods.end()) return zones;
  for (const cluster::ZoneShare& share : pod->zones) {
    zones.push_back({share.name, share.zone, AmountsOf(share.amount, resources)});
  }
  return zones;
}

// Of the pod's gang; returns what these request, without their pod slots.
ResourceVector SayWhoWaits(placement::Placement& placement, const cluster::Pod& pod, const ResourceNames& resources,
                           PodDocument& said) {
  ResourceVector needs;
  for (const auto& each : placement.state().Unplaced()) {
    if (each->scheduling_group == pod.scheduling_group && each->namespace_name == pod.namespace_name) {
      said.gang_waits.push_back(each->Key());
      const bool refused = each->uid != pod.uid && placement.waiting().Waits(each->uid);
      if (refused && (said.gang_refused.empty() || each->Key() < said.gang_refused)) said.gang_refused = each->Key();
      for (const auto& [resource, amount] : placement::RequestsOf(*each)) {
        if (resource != kPodSlots) needs.Add(resource, amount);
      }
    }
  }
  said.gang_needs = AmountsOf(needs, resources);
  std::ranges::sort(said.gang_waits);
  if (said.gang_waits.size() > kMostOfGang) {
    said.gang_waits_more = static_cast<int64_t>(said.gang_waits.size() - kMostOfGang);
    said.gang_waits.resize(kMostOfGang);
  }
  return needs;
}

bool IsSelected(const cluster::Pod& pod, const cluster::Node& node) {
  if (!pod.waiting) return true;
  const auto has = [&](const auto& label) { return std::ranges::find(node.labels, label) != node.labels.end(); };
  return std::ranges::all_of(pod.waiting->node_selector, has);
}

std::string SelectorText(const cluster::Pod& pod) {
  std::string text;
  if (!pod.waiting) return text;
  for (const auto& [key, value] : pod.waiting->node_selector) text += Concat(text.empty() ? "" : ", ", key, "=", value);
  return text;
}

}  // namespace

std::string PodPage::Begin(placement::Placement& placement, const RecentPods& pods, const ResourceNames& resources,
                           Time now) {
  const cluster::PlacedPod* placed = placement.state().FindPlaced(pod_->uid);
  placed_ = placed != nullptr;
  PodDocument said{.pod = pod_->Key(), .uid = std::string(std::string_view(pod_->uid))};
  said.no_zones = topology::WhyNoZones(*pod_, placement.options().topology.managed_resources);
  if (placed) {
    said.node = placement.state().NodeName(placed->node);
    const cluster::Ledger::Entry* entry = placement.state().ledger().Find(pod_->uid);
    if (entry) said.reservation = cluster::Name(entry->state);
    if (placed->pod->start_time) said.since = FormatRfc3339(*placed->pod->start_time);
    said.zones = ZonesOf(placement, said.node, pod_->uid, resources, now);
    said.no_zones = placed->zones.empty() ? WhyNoZones(placement, *pod_, placed->node) : std::string();
    for (const OutgrownPod& each : OutgrownOn(placement, placed->node, now)) {
      if (each.pod->uid == pod_->uid) said.outgrown = DocumentOf(each, resources);
    }
  }
  said.gang = pod_->scheduling_group;
  said.node_selector = SelectorText(*pod_);
  if (!said.gang.empty()) gang_needs_ = SayWhoWaits(placement, *pod_, resources, said);
  if (pod_->waiting) said.not_understood = pod_->waiting->not_understood;
  if (said.not_understood.empty()) {
    for (const wire::UnknownAnnotation& each : pods.Unknown(pod_->uid)) said.not_understood.push_back(each.text);
  }
  said.not_heard_of = std::move(not_heard_of_);
  return EncodeJsonUpToItems(said);
}

bool PodPage::Step(placement::Placement& placement, const RecentPods& pods, const ResourceNames& resources, Time now,
                   std::string& out) {
  if (next_ == 0) out += Begin(placement, pods, resources, now);
  const cluster::State& state = placement.state();
  const size_t end = placed_ ? next_ : std::min<size_t>(state.NodeSlots(), next_ + kNodesPerSlice);
  std::vector<std::string_view> names;
  for (; next_ < end; ++next_) {
    const cluster::Node* const node = state.GetNode(next_);
    if (node == nullptr) continue;
    if (!IsSelected(*pod_, *node)) {
      not_selected_.emplace_back(state.NodeName(next_));
      continue;
    }
    names.push_back(state.NodeName(next_));
    if (gang_needs_.empty()) continue;
    const ResourceVector requested = state.RequestedOn(next_);
    for (const auto& [resource, needed] : gang_needs_) {
      const int64_t left = std::max<int64_t>(0, node->allocatable.Get(resource) - requested.Get(resource));
      gang_room_.Add(resource, left);
    }
  }
  const ResourceVector requests = placement::RequestsOf(*pod_);
  for (const NodeExplanation& node : Explain(placement, *pod_, names, now)) {
    const ResourceVector& allocatable = state.GetNode(*state.FindNode(node.node))->allocatable;
    const bool never_fits = !placement::Lacking(requests, allocatable, {}).empty();
    if (node.reason != policy::Reason::kFits) {
      if (!std::exchange(first_, false)) out += ',';
      PodDocument::Node said = NodeOf(node, resources, placement.options());
      said.never_fits = said.never_fits || never_fits;
      AppendJson(out, said);
    } else if (never_fits) {
      ++too_small_;
    } else {
      (node.asks.empty() ? fits_ : fits_later_).emplace_back(node.node);
      if (!node.asks.empty() && room_.size() < kMostWithRoom) {
        room_.push_back(
            {std::string(node.node), AmountsOf(node.asks, resources), AmountsOf(node.unrequested, resources)});
      }
    }
  }
  if (!placed_ && next_ < state.NodeSlots()) return true;
  out += ']';
  JsonFieldWriter rest(out);
  rest.IfSet("fits", fits_);
  rest.IfSet("fitsLater", fits_later_);
  rest.IfSet("notSelected", not_selected_);
  rest.IfSet("room", room_);
  rest.IfSet("gangRoom", AmountsOf(gang_room_, resources));
  rest.IfSet("tooSmall", too_small_);
  out += "}\n";
  return false;
}

}  // namespace huygens::admin
