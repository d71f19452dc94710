#include "admin/usage_shortage.h"

#include <algorithm>

#include "admin/usage_json.h"
#include "admin_api/amounts.h"
#include "base/duration_text.h"
#include "base/text.h"
#include "usage/estimate.h"

namespace huygens::admin {

namespace {

using admin_api::QuantityText;
using policy::Reason;

// What the check says of the resources that it refuses for this reason.
usage::Verdict VerdictOf(Reason reason) {
  if (reason == Reason::kUsageUnknown) return usage::Verdict::kUnknown;
  return reason == Reason::kUsageCeilingTooLow ? usage::Verdict::kNeverFits : usage::Verdict::kOverCeiling;
}

// Of one resource, as much of the pod's demand as still fits: a search by halves, since the check knows only whether it
// does.
int64_t RoomOf(const usage::Account& account, const usage::Demand& demand, size_t resource, cluster::NodeIndex node,
               Time now, const usage::ResourceMask& others) {
  const usage::ResourceDemand& whole = demand.resources[resource];
  const int64_t all = std::clamp<int64_t>(whole.peak, 1, 1 << 20);  // no product overflows
  const auto part = [all](int64_t amount, int64_t parts) { return amount / all * parts + amount % all * parts / all; };
  int64_t fits = 0, too_many = all;
  while (too_many - fits > 1) {
    const int64_t parts = fits + (too_many - fits) / 2;
    usage::Demand less = demand;
    usage::ResourceDemand& each = less.resources[resource];
    each.peak = part(whole.peak, parts);
    each.estimate = part(whole.estimate, parts);
    for (int64_t& value : each.curve) value = part(value, parts);
    (account.Judge(node, less, now, others) == usage::Verdict::kFits ? fits : too_many) = parts;
  }
  const int64_t room = part(whole.peak, fits);
  // Not to the byte: nobody writes such a request.
  constexpr int64_t kMi = int64_t{1} << 20;
  return account.options().resources[resource].resource == kMemory ? room / kMi * kMi : room;
}

// Who asks for parts of a CPU gets no zones.
bool IsDueZones(const placement::Placement& placement, const cluster::Pod& pod, cluster::NodeIndex node) {
  return placement.Enforces(&policy::Needs::zones) &&
         placement.Zones(node).WhyNoZones(node, "", placement.state().Topology(node), pod).empty();
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

// "; up to 588m requested and as limit would stay under it"
std::string RoomText(const UsageShortage& shortage) {
  if (!shortage.room) return "";
  if (*shortage.room == 0) return "; it leaves nothing for a pod now";
  if (shortage.as_request == 0) return "; it leaves no whole CPU for a pod with zones now";
  return shortage.as_request
             ? Concat("; up to ", QuantityText(shortage.unit, *shortage.as_request),
                      " requested and as limit would stay under it now")
             : Concat("; up to ", QuantityText(shortage.unit, *shortage.room), " would stay under it now");
}

}  // namespace

bool IsOfUsage(Reason reason) {
  return reason == Reason::kUsageCeiling || reason == Reason::kUsageCeilingTooLow || reason == Reason::kUsageUnknown;
}

// Each resource is judged as the check does it, slot by slot, since peaks that are never at the same time may be more
// than the ceiling together.
std::optional<UsageShortage> UsageShortageOf(const placement::Placement& placement, const cluster::Pod& pod,
                                             const usage::Demand& demand, Reason reason, cluster::NodeIndex node,
                                             Time now) {
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
    if (use.measured) shortage.age = now - *use.measured;
    shortage.stale_after = account.options().stale_after;
    shortage.needs = needs;
    if (demand.resources[r].curve.empty()) shortage.estimated = usage::EstimateText(pod, options.resource);
    shortage.own_ceiling = object != nullptr && std::ranges::any_of(object->usage_ceilings, [&](const auto& each) {
                             return each.first == options.name;
                           });
    if (reason != Reason::kUsageUnknown) {
      shortage.room = RoomOf(account, demand, r, node, now, others);
      if (!shortage.estimated.empty()) shortage.as_request = usage::MostStated(*shortage.room, options.resource);
      if (shortage.as_request && options.resource == kCpu && IsDueZones(placement, pod, node)) {
        *shortage.as_request -= *shortage.as_request % 1000;
      }
    }
    if (reason == Reason::kUsageUnknown || use.state != usage::MetricState::kFresh) continue;
    const usage::Account::Peak peak = account.PeakOf(node, r);
    if (peak.slot) shortage.peak_at = SlotText(*peak.slot, account.options(), now);
    shortage.largest = peak.largest;
    // Highest over the week, as what is left of the ceiling for a pod.
    const usage::NodeFigures figures = account.Figures(node, now)[r];
    const int64_t own = std::max<int64_t>(0, figures.system - figures.reserved);
    if (use.ceiling && own > *use.ceiling) shortage.own_over = own;
  }
  return first;
}

std::string UsageText(const UsageShortage& shortage, Reason reason) {
  const auto text = [&](int64_t amount) { return QuantityText(shortage.unit, amount); };
  const std::string also = shortage.also.empty() ? std::string() : Concat("; likewise ", shortage.also);
  if (reason == Reason::kUsageUnknown) {
    return Concat(shortage.resource,
                  shortage.use.measured ? Concat(": last measured ", AgeText(shortage.age), " ago (at most ",
                                                 DurationText(shortage.stale_after), ": usage.staleAfter)")
                                        : std::string(": never measured"),
                  also);
  }
  const std::string allowed =
      Concat(text(*shortage.use.ceiling), " of ", text(shortage.use.capacity), " are allowed",
             shortage.own_ceiling ? " (the node's annotation huygens.dev/usage-ceilings)" : " (usage.resources)");
  if (shortage.own_over) {
    const bool dated = !shortage.largest && !shortage.peak_at.empty();
    return Concat(shortage.resource, ": what runs beside pods used ", text(*shortage.own_over),
                  dated ? Concat(" (", shortage.peak_at, ")") : std::string(), " by itself, where ", allowed,
                  ": no pod is small enough", also);
  }
  return Concat(shortage.resource, ": ", text(shortage.needs), " for the pod, ",
                shortage.estimated.empty() ? "as its kind uses" : shortage.estimated, ", beside a peak of ",
                text(shortage.use.peak), PeakText(shortage), ", where ", allowed, RoomText(shortage), also);
}

}  // namespace huygens::admin
