#include "admin/explanation.h"

#include <algorithm>

#include "absl/strings/str_join.h"
#include "admin/debug_json.h"
#include "admin/usage_json.h"
#include "observe/readiness.h"
#include "policy/explained.h"
#include "settings/scalar.h"
#include "usage/estimate.h"

namespace huygens::admin {

namespace {

using placement::ZoneShortage;
using policy::Reason;

bool IsOfUsage(Reason reason) {
  return reason == Reason::kUsageCeiling || reason == Reason::kUsageCeilingTooLow || reason == Reason::kUsageUnknown;
}

bool IsOfZones(Reason reason) {
  return reason == Reason::kStaleRealCapacity || (!IsOfUsage(reason) && !policy::Apart(reason).empty());
}

// What the check says of the resources that it refuses for this reason.
usage::Verdict VerdictOf(Reason reason) {
  if (reason == Reason::kUsageUnknown) return usage::Verdict::kUnknown;
  return reason == Reason::kUsageCeilingTooLow ? usage::Verdict::kNeverFits : usage::Verdict::kOverCeiling;
}

// The first resource for which the node is refused, with the names of the others. Each is judged as the check does it,
// slot by slot, since peaks that are never at the same time may be more than the ceiling together.
std::optional<UsageShortage> OfUsage(const placement::Placement& placement, const cluster::Pod& pod,
                                     const usage::Demand& demand, Reason reason, cluster::NodeIndex node, Time now) {
  const usage::Account& account = placement.usage();
  const cluster::Node* object = placement.state().GetNode(node);
  std::optional<UsageShortage> first;
  const usage::ResourceMask refuses_nothing = account.SteppingAside(now) | account.ShortHistory();
  for (size_t r = 0; r < demand.resources.size(); ++r) {
    const usage::ResourceMask others = ~usage::ResourceMask().set(r);
    if (refuses_nothing[r] || account.Judge(node, demand, now, others) != VerdictOf(reason)) continue;
    const usage::NodeUse use = account.Use(node, r, now);
    const int64_t needs = demand.resources[r].peak;
    const usage::ResourceOptions& options = account.options().resources[r];
    if (first) {
      first->also += Concat(first->also.empty() ? "" : ", ", options.name);
      continue;
    }
    first = UsageShortage();
    UsageShortage& shortage = *first;
    shortage.resource = options.name;
    shortage.unit = options.resource;
    shortage.use = use;
    shortage.needs = needs;
    if (demand.resources[r].curve.empty()) shortage.estimated = usage::EstimateText(pod, options.resource);
    shortage.own_ceiling = object != nullptr && std::ranges::any_of(object->usage_ceilings, [&](const auto& each) {
                             return each.first == options.name;
                           });
    if (reason == Reason::kUsageUnknown || use.state != usage::MetricState::kFresh) continue;
    const usage::Account::Peak peak = account.PeakOf(node, r);
    if (peak.slot) shortage.peak_at = SlotText(*peak.slot, account.options(), now);
    shortage.largest = peak.largest;
  }
  return first;
}

// " (Wed 14:15; the largest there is shop/web-1, 4)", or of a node without pods " (Wed 14:15; the node's own)"
std::string PeakText(const UsageShortage& shortage) {
  std::string text = shortage.peak_at;
  if (const auto& pod = shortage.largest) {
    text += Concat(text.empty() ? "" : "; ", "the largest there is ", pod->key, ", ",
                   QuantityText(shortage.unit, pod->peak));
  } else if (!text.empty()) {
    text += "; the node's own";
  }
  return text.empty() ? text : Concat(" (", text, ")");
}

std::string UsageText(const UsageShortage& shortage, Reason reason) {
  const auto text = [&](int64_t amount) { return QuantityText(shortage.unit, amount); };
  const std::string also = shortage.also.empty() ? std::string() : Concat("; likewise ", shortage.also);
  if (reason == Reason::kUsageUnknown) {
    return Concat(shortage.resource,
                  shortage.use.measured ? Concat(": last measured at ", FormatRfc3339(*shortage.use.measured))
                                        : std::string(": never measured"),
                  also);
  }
  return Concat(shortage.resource, ": ", text(shortage.needs), " for the pod, ",
                shortage.estimated.empty() ? "as its kind uses" : shortage.estimated, ", beside a peak of ",
                text(shortage.use.peak), PeakText(shortage), ", where ", text(*shortage.use.ceiling), " of ",
                text(shortage.use.capacity), " are allowed",
                shortage.own_ceiling ? " (the node's annotation huygens.dev/usage-ceilings)" : " (usage.resources)",
                also);
}

// "17 cpu and 4Gi memory"
std::string AmountsText(const ResourceVector& amounts, const ResourceNames& resources) {
  std::string text;
  for (const auto& [resource, amount] : amounts) {
    text += Concat(text.empty() ? "" : " and ", QuantityText(resource, amount), " ", resources.Name(resource));
  }
  return text;
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

}  // namespace

std::vector<NodeExplanation> Explain(placement::Placement& placement, const cluster::Pod& pod,
                                     std::span<const std::string_view> nodes, Time now) {
  const std::vector<Reason> reasons = placement.Filter(pod, nodes, now).reasons;
  const usage::Account& use = placement.usage();
  const usage::Demand demand = use.options().resources.empty() ? usage::Demand() : use.DemandOf(pod);
  std::vector<NodeExplanation> explanations;
  for (size_t i = 0; i < nodes.size(); ++i) {
    NodeExplanation each{
        .node = nodes[i], .reason = reasons[i], .zones = {}, .usage = {}, .defect = {}, .loss_left = {}};
    if (const auto node = placement.state().FindNode(nodes[i])) {
      if (IsOfUsage(each.reason)) each.usage = OfUsage(placement, pod, demand, each.reason, *node, now);
      if (each.reason == Reason::kLostTopology) each.loss_left = placement.state().LossLeft(*node);
      if (each.reason == Reason::kUnusableTopology || each.reason == Reason::kInvalidTopologyData) {
        if (const auto* object = placement.state().Topology(*node)) each.defect = object->defect;
      }
      each.gave_up_topology = each.reason == Reason::kNoTopology && placement.state().TopologyGivenUp(*node);
    }
    if (IsOfZones(each.reason)) {
      if (const auto node = placement.Describe(nodes[i], now)) {
        each.zones = placement::ShortageOf(pod, *node, each.reason, placement.options().topology);
        const auto* object = placement.state().Topology(*placement.state().FindNode(nodes[i]));
        if (each.zones->unaccounted > 0 && object != nullptr) each.zones->written = object->written;
      }
    }
    explanations.push_back(std::move(each));
  }
  return explanations;
}

std::string LossText(Duration left, Duration grace) {
  return Concat("its NodeResourceTopology was deleted ", observe::SecondsText(grace - left),
                " ago; pods that need zones wait for it, ", observe::SecondsText(left),
                " more at most (topology.lossGrace: ", settings::DurationText(grace), ")");
}

std::string GivenUpText(Duration grace) {
  return Concat("its NodeResourceTopology was deleted, and did not come back within topology.lossGrace (",
                settings::DurationText(grace), ")");
}

std::string Figures(const NodeExplanation& node, const ResourceNames& resources, const placement::Options& options) {
  if (node.loss_left) return LossText(*node.loss_left, options.topology.loss_grace);
  if (!node.defect.empty()) return node.defect;
  if (node.gave_up_topology) return GivenUpText(options.topology.loss_grace);
  const std::string_view apart = policy::Apart(node.reason);
  if (node.usage) return Concat(UsageText(*node.usage, node.reason), apart.empty() ? "" : Concat("; ", apart));
  if (!node.zones || node.zones->needs.empty()) return "";
  const ZoneShortage& zones = *node.zones;
  std::string text = zones.container.empty() ? "needs " : Concat("container ", zones.container, " needs ");
  text += AmountsText(zones.needs, resources);
  if (zones.asks_cores) text += " by whole cores";
  if (zones.one_zone) {
    text += Concat(" in one zone", zones.asked_by.empty() ? "" : Concat(", as the ", zones.asked_by, " asks"),
                   zones.largest ? "; largest " : "; freest ", zones.zone, ": ");
  } else {
    text += zones.policy.empty() ? "; all zones together: " : Concat(" in zones that ", zones.policy, " allows; all: ");
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
  if (!zones.stale_zones.empty() && zones.stale_zones != std::vector{zones.zone}) {
    text +=
        Concat("; ", absl::StrJoin(zones.stale_zones, ", "), " would hold it, but for real capacity that is out of ",
               "date", zones.stale_since ? Concat(" since ", FormatRfc3339(*zones.stale_since)) : std::string());
  }
  if (zones.claims_hold) text += "; what is claimed would hold it";
  if (zones.fits_across) text += "; over several zones it would fit";
  return text;
}

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
  return "";
}

}  // namespace huygens::admin
