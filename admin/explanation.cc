#include "admin/explanation.h"

#include <algorithm>

#include "absl/strings/str_join.h"
#include "admin_api/amounts.h"
#include "admin_api/sentences.h"
#include "base/duration_text.h"
#include "placement/node_fit.h"
#include "policy/explained.h"

namespace huygens::admin {

namespace {

using admin_api::QuantityText;
using placement::ZoneShortage;
using policy::Reason;

bool IsOfZones(Reason reason) {
  return reason == Reason::kStaleRealCapacity || (!IsOfUsage(reason) && !policy::Apart(reason).empty());
}

// Of resources that the node lists: of others there is nothing to say how much there is.
void TakeRequests(const cluster::State& state, cluster::NodeIndex node, const ResourceVector& requests,
                  NodeExplanation& explanation) {
  const cluster::Node* known = state.GetNode(node);
  if (known == nullptr) return;
  const ResourceVector& requested = state.RequestedOn(node);
  for (const ResourceId resource : placement::Lacking(requests, known->allocatable, requested)) {
    if (!known->allocatable.Has(resource)) continue;
    explanation.asks.Set(resource, requests.Get(resource));
    explanation.unrequested.Set(resource,
                                std::max<int64_t>(0, known->allocatable.Get(resource) - requested.Get(resource)));
  }
}

// Of the settings by which the node's kubelet is predicted.
std::string IgnoredOf(const cluster::State& state, const placement::NodeDescription& node) {
  const auto index = state.FindNode(node.name);
  const cluster::Node* known = index ? state.GetNode(*index) : nullptr;
  const std::string by_label = known != nullptr ? kubelet::UnknownSetting(*known) : std::string();
  return Concat(node.unknown_setting, node.unknown_setting.empty() || by_label.empty() ? "" : "; ", by_label);
}

// "17 cpu and 4Gi memory"
std::string AmountsText(const ResourceVector& amounts, const ResourceNames& resources) {
  return admin_api::AmountsText(admin_api::AmountsOf(amounts, resources));
}

// "5 of 16 free", or with several resources "5 of 16 cpu and 2Gi of 8Gi memory free"
std::string FreeText(const ZoneShortage& shortage, const ResourceNames& resources) {
  std::string text;
  size_t needed_resources = 0;
  for (const auto& each : shortage.needs) needed_resources += each.second > 0 ? 1 : 0;
  for (const auto& [resource, needed] : shortage.needs) {
    text += Concat(text.empty() ? "" : " and ", QuantityText(resource, shortage.free.Get(resource)), " of ",
                   QuantityText(resource, shortage.of.Get(resource)));
    if (needed_resources > 1) text += Concat(" ", resources.Name(resource));
  }
  text += " free";
  if (!shortage.asks_cores) return text;
  return Concat(text, ", ", std::to_string(shortage.whole_cores), " of ", std::to_string(shortage.cores),
                " cores unused");
}

// Of nodes that have no topology object, or give no cores, asks what they would say did the pod not insist on such.
void TakeInsisting(placement::Placement& placement, const cluster::Pod& pod, Time now,
                   std::vector<NodeExplanation>& explanations) {
  const bool aware = pod.topology_awareness == true, smt = pod.smt != cluster::Smt::kUnset;
  if (!aware && !smt) return;
  std::vector<std::string_view> names;
  std::vector<NodeExplanation*> of;
  for (NodeExplanation& each : explanations) {
    if ((each.reason != Reason::kNoTopology && !each.gives_no_cores) || !each.unrequested.empty()) continue;
    names.push_back(each.node);
    of.push_back(&each);
  }
  if (names.empty()) return;
  cluster::Pod content = pod;
  content.topology_awareness.reset();
  content.smt = cluster::Smt::kUnset;
  const std::vector<Reason> reasons = placement.Filter(content, names, now).reasons;
  for (size_t i = 0; i < of.size(); ++i) {
    if (reasons[i] != Reason::kFits) continue;
    if (of[i]->gives_no_cores) {
      of[i]->insists = "huygens.dev/smt";
      continue;
    }
    of[i]->insists = Concat(aware ? "topology.crane.io/topology-awareness: \"true\"" : "", aware && smt ? ", " : "",
                            smt ? "huygens.dev/smt" : "");
  }
}

// Of nodes whose zones would hold the pod did it not ask for one, asks what all checks would say of it then.
void TakeAcross(placement::Placement& placement, const cluster::Pod& pod, Time now,
                std::vector<NodeExplanation>& explanations) {
  std::vector<std::string_view> names;
  std::vector<NodeExplanation*> of;
  for (NodeExplanation& each : explanations) {
    if (!each.zones || !each.zones->fits_across) continue;
    names.push_back(each.node);
    of.push_back(&each);
  }
  if (names.empty()) return;
  cluster::Pod crossing = pod;
  crossing.topology_awareness = false;
  const std::vector<Reason> reasons = placement.Filter(crossing, names, now).reasons;
  for (size_t i = 0; i < of.size(); ++i) of[i]->across = reasons[i];
}

// Checks stop at the first reason. What the next would say decides whether to ask less of the zones is enough.
void TakeBeside(const placement::Placement& placement, const cluster::Pod& pod, const usage::Demand& demand,
                cluster::NodeIndex node, NodeExplanation& explanation) {
  if (!placement.Enforces(&policy::Needs::ceilings)) return;
  const auto under = [&](Reason reason) {
    return UsageShortageOf(placement, pod, demand, reason, node, explanation.now);
  };
  explanation.beside = under(Reason::kUsageCeilingTooLow);
  if (explanation.beside) {
    explanation.zones->holds_across = false;  // whoever ends
  } else {
    explanation.beside = under(Reason::kUsageCeiling);
  }
}

// "; node2: real capacity was 3 cpu, 12h 4m ago (at most 5m: topology.realCapacity.staleAfter); the pod fits only if it
// is now 6 or more"
std::string StaleZonesText(const std::vector<ZoneShortage::StaleZone>& zones, Time now, Duration most) {
  std::string text;
  for (const auto& zone : zones) {
    text +=
        Concat("; ", zone.name, ": real capacity ",
               zone.last ? Concat("was ", QuantityText(kCpu, *zone.last), " cpu") : std::string("is unknown"),
               zone.written ? Concat(", ", AgeText(now - *zone.written), " ago") : std::string(", nobody says when"),
               " (at most ", DurationText(most), ": topology.realCapacity.staleAfter); the pod fits only if it is now ",
               QuantityText(kCpu, zone.must_give), " or more");
  }
  return text;
}

}  // namespace

std::vector<NodeExplanation> Explain(placement::Placement& placement, const cluster::Pod& pod,
                                     std::span<const std::string_view> nodes, Time now) {
  const std::vector<Reason> reasons = placement.Filter(pod, nodes, now).reasons;
  const ResourceVector requests = placement::RequestsOf(pod);
  const usage::Account& use = placement.usage();
  const usage::Demand demand = use.options().resources.empty() ? usage::Demand() : use.DemandOf(pod);
  std::vector<NodeExplanation> explanations;
  for (size_t i = 0; i < nodes.size(); ++i) {
    NodeExplanation each{.node = nodes[i],
                         .reason = reasons[i],
                         .zones = {},
                         .usage = {},
                         .beside = {},
                         .defect = {},
                         .insists = {},
                         .ignored = {},
                         .loss_left = {},
                         .now = now};
    if (const auto node = placement.state().FindNode(nodes[i])) {
      TakeRequests(placement.state(), *node, requests, each);
      if (IsOfUsage(each.reason)) each.usage = UsageShortageOf(placement, pod, demand, each.reason, *node, now);
      if (each.reason == Reason::kLostTopology) each.loss_left = placement.state().LossLeft(*node);
      if (each.reason == Reason::kUnusableTopology || each.reason == Reason::kInvalidTopologyData) {
        if (const auto* object = placement.state().Topology(*node)) each.defect = object->defect;
      }
      each.gave_up_topology = each.reason == Reason::kNoTopology && placement.state().TopologyGivenUp(*node);
      each.gives_no_cores = each.reason == Reason::kUnknownCores && !placement.Zones(*node).ReadsResult(*node);
    }
    each.demands_topology =
        each.reason == Reason::kNoTopology && !placement.options().topology.nodes_without_topology_pass;
    if (IsOfZones(each.reason)) {
      if (const auto node = placement.Describe(nodes[i], now)) {
        each.zones = placement::ShortageOf(pod, *node, each.reason, placement.options().topology);
        const auto* object = placement.state().Topology(*placement.state().FindNode(nodes[i]));
        if (each.zones->unaccounted > 0 && object != nullptr) each.zones->written = object->written;
        if (!node->kubelet.empty()) each.ignored = IgnoredOf(placement.state(), *node);
        TakeBeside(placement, pod, demand, *placement.state().FindNode(nodes[i]), each);
      }
    }
    explanations.push_back(std::move(each));
  }
  TakeInsisting(placement, pod, now, explanations);
  TakeAcross(placement, pod, now, explanations);
  return explanations;
}

std::string GivenUpText(Duration grace) {
  return Concat("its NodeResourceTopology was deleted, and did not come back within topology.lossGrace (",
                DurationText(grace), ")");
}

std::string Figures(const NodeExplanation& node, const ResourceNames& resources, const placement::Options& options) {
  if (node.loss_left) return admin_api::LossText(*node.loss_left, options.topology.loss_grace);
  if (!node.defect.empty()) return node.defect;
  if (node.gave_up_topology) return GivenUpText(options.topology.loss_grace);
  if (node.gives_no_cores)
    return "kubelet pins there by its own options, and never gives what huygens.dev/smt asks for";
  const std::string_view apart = policy::Apart(node.reason);
  if (node.usage)
    return Concat(UsageText(*node.usage, node.reason),
                  apart.empty() || node.usage->own_over ? "" : Concat("; ", apart));
  if (!node.zones || node.zones->needs.empty()) return "";
  const ZoneShortage& zones = *node.zones;
  if (zones.core_threads > 0) {
    const std::string threads = std::to_string(zones.core_threads);
    return Concat("kubelet gives whole cores only (full-pcpus-only, ", threads, " threads each): container ",
                  zones.container, " asks for ", QuantityText(kCpu, zones.needs.Get(kCpu)),
                  " cpu, which is no multiple of ", threads);
  }
  std::string text = zones.container.empty() ? "needs " : Concat("container ", zones.container, " needs ");
  text += AmountsText(zones.needs, resources);
  if (zones.asks_cores) text += " by whole cores";
  if (zones.one_zone) {
    text += Concat(" in one zone", zones.asked_by.empty() ? "" : Concat(", as the ", zones.asked_by, " asks"),
                   zones.largest ? "; largest " : "; freest ", zones.zone, ": ");
  } else {
    text += zones.policy.empty()     ? "; all zones together: "
            : zones.policy == "none" ? " in any zones (topology manager policy none); all: "
                                     : Concat(" in zones that ", zones.policy, " allows; all: ");
  }
  text += FreeText(zones, resources);
  const std::string claimed = AmountsText(zones.claimed, resources);
  if (!zones.lower.empty()) {
    text += Concat("; they claim ", claimed, ", but the real capacity of ", zones.lower,
                   zones.stale ? " is less or out of date" : " is less",
                   zones.last_at ? Concat(" (of ", FormatRfc3339(*zones.last_at), ")") : std::string());
  } else if (!claimed.empty()) {
    text += zones.stale ? Concat("; its real capacity",
                                 zones.last ? Concat(", ", QuantityText(kCpu, *zones.last), " cpu,") : std::string(),
                                 " is out of date",
                                 zones.last_at ? Concat(" (of ", FormatRfc3339(*zones.last_at), ")") : std::string(),
                                 zones.of.Get(kCpu) == 0 ? " and counts for nothing" : "", "; it claims ", claimed)
                        : Concat("; it claims ", claimed, ", but its real capacity is less");
  }
  // A zone that looks free all the same is kept for a pod that kube-scheduler made room for, or in pieces.
  if (!apart.empty()) text += Concat("; ", apart);
  if (zones.unaccounted > 0) {
    text += Concat(", says its topology object",
                   zones.written ? Concat(", written ", FormatRfc3339(*zones.written)) : std::string(),
                   ", but no pod known there holds ", QuantityText(kCpu, zones.unaccounted),
                   " cpu of it: is its exporter alive?");
  }
  // Of the zone that is named it was said.
  if (zones.stale_zones.size() > 1 || (zones.stale_zones.size() == 1 && zones.stale_zones[0].name != zones.zone)) {
    text += StaleZonesText(zones.stale_zones, node.now, options.topology.stale_after);
  }
  if (zones.claims_hold) text += "; what is claimed would hold it";
  if (zones.fits_across && node.across != Reason::kFits) {
    return Concat(text, "; over several zones the zones would hold it, but it would be refused all the same: ",
                  policy::Text(node.across));
  }
  if (zones.fits_across && node.unrequested.empty()) text += "; over several zones it would fit";
  if (zones.fits_across && !node.unrequested.empty()) {
    text += Concat("; over several zones the zones would hold it, but only ", AmountsText(node.unrequested, resources),
                   " of the node are unrequested");
  }
  return text;
}

namespace {

// Of a pod that is due zones of a node that goes by what pods bring: what it brings is nothing, or not believed.
std::string WhyNotBelieved(const placement::Placement& placement, const cluster::Pod& pod, cluster::NodeIndex node) {
  if (!pod.Bound() || !placement.Zones(node).ReadsResult(node)) return "";
  const auto& mark = pod.placement_mark;
  if (mark && (mark->uid != pod.uid || mark->node != pod.node_name)) {
    return "it asks for some, but its annotation huygens.dev/placement was written for another pod or node and is not "
           "believed";
  }
  if (mark && mark->of_zones) return "it asks for some, but was bound when the node had none to give";
  if (pod.has_topology_result) {
    return "it asks for some, but its topology-result bears no mark of huygens (huygens.dev/placement) and is not "
           "believed (topology.unmarkedResults: ignore)";
  }
  return "it asks for some, but was bound without huygens: it has no topology-result";
}

}  // namespace

std::string WhyNoZones(const placement::Placement& placement, const cluster::Pod& pod, cluster::NodeIndex node) {
  const cluster::State& state = placement.state();
  std::string of_node =
      placement.Zones(node).WhyNoZones(node, Concat("node ", state.NodeName(node)), state.Topology(node), pod);
  if (!of_node.empty() && state.TopologyGivenUp(node)) {
    return Concat(of_node, ": ", GivenUpText(placement.options().topology.loss_grace));
  }
  if (!of_node.empty()) return of_node;
  switch (placement.ModeOf(&policy::Needs::zones)) {
    case policy::CheckMode::kOff:
      return "the check topology is off (filter.checks)";
    case policy::CheckMode::kReport:
      return "the check topology only reports, and the zones could not hold the pod";
    case policy::CheckMode::kEnforce:
      break;
  }
  return WhyNotBelieved(placement, pod, node);
}

}  // namespace huygens::admin
