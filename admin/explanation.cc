#include "admin/explanation.h"

#include <algorithm>
#include <tuple>

#include "absl/strings/str_join.h"
#include "admin/debug_json.h"
#include "admin/usage_json.h"
#include "observe/readiness.h"
#include "policy/explained.h"
#include "settings/scalar.h"
#include "topology/zone_request.h"
#include "usage/estimate.h"

namespace huygens::admin {

namespace {

using placement::NodeDescription;
using placement::ZoneDescription;
using policy::Reason;
using Kind = kubelet::Container::Kind;

// How much of what is needed there is, by the resource of which there is least: 1 is enough.
double Share(const ResourceVector& needs, const ResourceVector& there) {
  double share = 1;
  for (const auto& [resource, amount] : needs) {
    share = std::min(share, static_cast<double>(there.Get(resource)) / static_cast<double>(amount));
  }
  return share;
}

ResourceVector Only(const ResourceVector& needs, const ResourceVector& amounts) {
  ResourceVector only;
  for (const auto& [resource, needed] : needs) only.Set(resource, amounts.Get(resource));
  return only;
}

// Only whole CPUs of a zone count for a pod that crosses zones of a managed node.
ResourceVector Whole(ResourceVector free, const ResourceVector& of) {
  free.Set(kCpu, std::max<int64_t>(0, free.Get(kCpu) - of.Get(kCpu) % 1000));
  return free;
}

bool ClaimsMore(const ZoneDescription& zone) {
  return zone.offline_cpu && *zone.offline_cpu < zone.allocatable.Get(kCpu);
}

// Whether the zones would hold the pod if those whose real capacity is less gave all that they claim.
bool ClaimsHold(const std::vector<ZoneDescription>& zones, const ZoneShortage& shortage) {
  ResourceVector all;
  bool more = false;
  for (const ZoneDescription& zone : zones) {
    if (!zone.present) continue;
    const bool claims_more = ClaimsMore(zone);
    if (claims_more && shortage.one_zone && Share(shortage.needs, zone.allocatable) >= 1) return true;
    more = more || claims_more;
    const ResourceVector& amounts = claims_more ? zone.allocatable : zone.effective;
    all.Add(Whole(amounts, amounts));
  }
  return more && !shortage.one_zone && Share(shortage.needs, all) >= 1;
}

void TakeZones(const std::vector<ZoneDescription>& zones, bool kubelet, Reason reason, ZoneShortage& shortage) {
  const auto of = [&](const ZoneDescription& zone) { return kubelet ? zone.allocatable : zone.effective; };
  const auto take = [&](const ZoneDescription& zone) {
    const bool crosses = !kubelet && !shortage.one_zone;
    shortage.free.Add(Only(shortage.needs, crosses ? Whole(zone.free, of(zone)) : zone.free));
    shortage.of.Add(Only(shortage.needs, of(zone)));
    shortage.whole_cores += zone.whole_cores;
    shortage.cores += zone.cores;
  };
  if (!shortage.one_zone) {
    ResourceVector claimed;
    for (const ZoneDescription& zone : zones) {
      if (!zone.present) continue;
      take(zone);
      claimed.Add(Only(shortage.needs, zone.allocatable));
      if (kubelet || (!zone.stale && !ClaimsMore(zone))) continue;
      shortage.lower += Concat(shortage.lower.empty() ? "" : ", ", zone.name);
      shortage.stale = shortage.stale || zone.stale;
      if (zone.stale && zone.offline_updated) {
        shortage.last_at = std::min(shortage.last_at.value_or(Time::max()), *zone.offline_updated);
      }
    }
    if (!shortage.lower.empty()) shortage.claimed = claimed;
    return;
  }
  const bool too_few_cores = reason == Reason::kTooFewCores;
  const auto size = [&](const ZoneDescription& zone) {
    return Share(shortage.needs, zone.stale && reason == Reason::kStaleRealCapacity ? zone.allocatable : of(zone));
  };
  const auto nearness = [&](const ZoneDescription& zone) {
    return std::tuple(zone.present, size(zone), too_few_cores ? zone.cores : 0, Share(shortage.needs, zone.free),
                      shortage.asks_cores ? zone.whole_cores : 0, zone.free.Get(kCpu));
  };
  const auto nearest = std::ranges::max_element(zones, {}, nearness);
  if (nearest == zones.end() || !nearest->present) return;
  shortage.zone = nearest->name;
  shortage.largest = too_few_cores || size(*nearest) < 1;
  take(*nearest);
  const ResourceVector claimed = Only(shortage.needs, nearest->allocatable);
  shortage.stale = nearest->stale;
  shortage.last = nearest->offline_cpu;
  shortage.last_at = nearest->offline_updated;
  const bool tells = nearest->stale || (!kubelet && ClaimsMore(*nearest));
  if (tells && claimed != shortage.of) shortage.claimed = claimed;
}

// Those where room is known, were their real capacity: only for want of that the pod is told of the others.
void TakeStaleZones(const std::vector<ZoneDescription>& zones, ZoneShortage& shortage) {
  for (const ZoneDescription& zone : zones) {
    ResourceVector claimed = zone.allocatable;
    claimed.Subtract(zone.used);
    const bool holds = zone.present && zone.stale && Share(shortage.needs, claimed) >= 1;
    if (!holds || Share(shortage.needs, zone.free) >= 1) continue;
    shortage.stale_zones.push_back(zone.name);
    if (zone.offline_updated) {
      shortage.stale_since = std::min(shortage.stale_since.value_or(Time::max()), *zone.offline_updated);
    }
  }
}

// What the object says is taken of the zones that the shortage is about, without what pods known there hold.
int64_t Unaccounted(const NodeDescription& node, const ZoneShortage& shortage) {
  int64_t taken = 0;
  for (const ZoneDescription& zone : node.zones) {
    if (!zone.available || (!shortage.zone.empty() && zone.name != shortage.zone)) continue;
    taken += zone.allocatable.Get(kCpu) - zone.available->Get(kCpu);
  }
  for (const auto& pod : node.pods) {
    if (!pod.kubelet) continue;
    if (pod.zones.empty()) return 0;  // it holds something, and nobody knows where
    for (const placement::ZoneShare& share : pod.zones) {
      if (shortage.zone.empty() || share.name == shortage.zone) taken -= share.amount.Get(kCpu);
    }
  }
  return std::max<int64_t>(taken, 0);
}

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

std::string_view Setting(const NodeDescription& node, std::string_view name) {
  const auto found = std::ranges::find(node.kubelet, name, &kubelet::Setting::name);
  return found == node.kubelet.end() ? std::string_view() : std::string_view(found->value);
}

// The containers of which the reason speaks; nothing if it speaks of the pod.
std::optional<Kind> RefusedKind(Reason reason) {
  switch (reason) {
    case Reason::kCannotAlignContainer:
    case Reason::kNeverAlignsContainer:
      return Kind::kApp;
    case Reason::kCannotAlignInitContainer:
    case Reason::kNeverAlignsInitContainer:
      return Kind::kInit;
    case Reason::kCannotAlignSidecar:
    case Reason::kNeverAlignsSidecar:
      return Kind::kSidecar;
    default:
      return std::nullopt;
  }
}

// Without what no manager of this kubelet looks at, and what its zones do not say.
ResourceVector Needs(const NodeDescription& node, int cpus, const ResourceVector& memory,
                     const ResourceVector& devices) {
  const auto counted = [&](ResourceId resource) {
    return std::ranges::any_of(node.zones, [&](const auto& zone) { return zone.allocatable.Has(resource); });
  };
  ResourceVector needs;
  if (cpus > 0 && Setting(node, "cpuManagerPolicy") == "static") needs.Set(kCpu, int64_t{cpus} * 1000);
  if (Setting(node, "memoryManagerPolicy") == "Static") {
    for (const auto& [resource, amount] : memory) {
      const bool managed = resource == kMemory || IsHugepages(resource);
      if (amount > 0 && managed && counted(resource)) needs.Set(resource, amount);
    }
  }
  for (const auto& [resource, amount] : devices) {
    if (amount > 0 && counted(resource)) needs.Set(resource, amount);
  }
  return needs;
}

ZoneShortage AtKubelet(const cluster::Pod& pod, const NodeDescription& node, Reason reason) {
  const kubelet::Pod wants = kubelet::RequestOf(pod).pod;
  ZoneShortage shortage{.policy = std::string(Setting(node, "topologyManagerPolicy"))};
  shortage.one_zone = shortage.policy == "single-numa-node";
  shortage.needs = Needs(node, wants.cpus, wants.memory, wants.devices);
  const std::optional<Kind> kind = RefusedKind(reason);
  if (kind) {
    // Of several the largest is the hardest to align.
    const kubelet::Container* largest = nullptr;
    size_t at = 0;
    for (size_t i = 0; i < wants.containers.size(); ++i) {
      const kubelet::Container& each = wants.containers[i];
      if (each.kind != *kind || (largest && each.cpus <= largest->cpus)) continue;
      largest = &each;
      at = i;
    }
    if (largest) {
      shortage.needs = Needs(node, largest->cpus, largest->memory, largest->devices);
      const size_t inits = pod.init_containers.size();
      shortage.container = at < inits ? pod.init_containers[at].name : pod.containers[at - inits].name;
    }
  }
  TakeZones(node.zones, true, reason, shortage);
  if (policy::CurableByVictims(reason) && shortage.needs.Get(kCpu) > 0) {
    shortage.unaccounted = Unaccounted(node, shortage);
  }
  return shortage;
}

ZoneShortage AtManaged(const cluster::Pod& pod, const NodeDescription& node, Reason reason,
                       const topology::Options& options) {
  const topology::ZoneRequest request = topology::RequestOf(pod, options.managed_resources);
  ZoneShortage shortage{.one_zone = request.aware.value_or(node.single_numa)};
  if (shortage.one_zone) shortage.asked_by = request.aware ? "pod" : "node";
  shortage.asks_cores = request.smt != cluster::Smt::kUnset;
  for (size_t r = 0; r < request.amounts.size(); ++r) {
    if (request.amounts[r] > 0) shortage.needs.Set(options.managed_resources[r], request.amounts[r]);
  }
  TakeZones(node.zones, false, reason, shortage);
  if (shortage.one_zone) TakeStaleZones(node.zones, shortage);
  shortage.claims_hold = reason == Reason::kZonesTooSmall && ClaimsHold(node.zones, shortage);
  if (shortage.one_zone && !shortage.asks_cores) {
    ZoneShortage across{.needs = shortage.needs};
    TakeZones(node.zones, false, reason, across);
    shortage.fits_across = Share(across.needs, across.free) >= 1;
  }
  return shortage;
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
        each.zones = node->kubelet.empty() ? AtManaged(pod, *node, each.reason, placement.options().topology)
                                           : AtKubelet(pod, *node, each.reason);
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
