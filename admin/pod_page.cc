#include "admin/pod_page.h"

#include <algorithm>
#include <vector>

#include "admin/debug_json.h"
#include "admin/explanation.h"
#include "base/json_text.h"
#include "policy/explained.h"
#include "topology/why_no_zones.h"

namespace huygens::admin {

namespace {

constexpr size_t kNodesPerSlice = 50;

void AppendFigures(std::string& out, const ZoneShortage& zones, const ResourceNames& resources) {
  out += ",\"figures\":{\"needs\":";
  AppendAmounts(out, zones.needs, resources);
  out += zones.one_zone ? ",\"oneZone\":true" : ",\"oneZone\":false";
  if (!zones.container.empty()) AppendJsonField(out, "container", zones.container);
  if (!zones.zone.empty()) AppendJsonField(out, "zone", zones.zone);
  out += ",\"free\":";
  AppendAmounts(out, zones.free, resources);
  out += ",\"of\":";
  AppendAmounts(out, zones.of, resources);
  out += '}';
}

void AppendNode(std::string& out, const NodeExplanation& node, const ResourceNames& resources,
                const placement::Options& options) {
  out += "{\"name\":";
  AppendJsonString(out, node.node);
  AppendJsonField(out, "reason", policy::Explained(node.reason));
  AppendJsonField(out, "cause", policy::Label(node.reason));
  if (const std::string why = Figures(node, resources, options); !why.empty()) {
    AppendJsonField(out, "why", why);
    if (node.zones) AppendFigures(out, *node.zones, resources);
    if (node.loss_left) AppendLossLeft(out, *node.loss_left, options);
    if (policy::NeverFits(node.reason)) out += ",\"neverFits\":true";
  }
  out += '}';
}

}  // namespace

void PodPage::AppendHead(const placement::Placement& placement, const RecentPods& pods, std::string& out) {
  const cluster::PlacedPod* placed = placement.state().FindPlaced(pod_->uid);
  placed_ = placed != nullptr;
  out += "{\"pod\":";
  AppendJsonString(out, pod_->Key());
  AppendJsonField(out, "uid", pod_->uid);
  std::string why = topology::WhyNoZones(*pod_, placement.options().topology.managed_resources);
  if (placed) {
    AppendJsonField(out, "node", placement.state().NodeName(placed->node));
    const cluster::Ledger::Entry* entry = placement.state().ledger().Find(pod_->uid);
    if (entry) AppendJsonField(out, "reservation", cluster::Name(entry->state));
    if (placed->pod->start_time) AppendJsonField(out, "since", FormatRfc3339(*placed->pod->start_time));
    why = placed->zones.empty() ? WhyNoZones(placement, *pod_, placed->node) : std::string();
  }
  if (!why.empty()) AppendJsonField(out, "noZones", why);
  if (!pod_->scheduling_group.empty()) {
    AppendJsonField(out, "gang", pod_->scheduling_group);
    out += Concat(",\"gangHolds\":", std::to_string(placement.HeldForGang(*pod_)));
  }
  if (const auto unknown = pods.Unknown(pod_->uid); !unknown.empty()) {
    out += ",\"notUnderstood\":[";
    for (const wire::UnknownAnnotation& each : unknown) {
      if (out.back() != '[') out += ',';
      AppendJsonString(out, each.text);
    }
    out += ']';
  }
  out += ",\"nodes\":[";
}

bool PodPage::Step(placement::Placement& placement, const RecentPods& pods, const ResourceNames& resources, Time now,
                   std::string& out) {
  if (next_ == 0) AppendHead(placement, pods, out);
  const cluster::State& state = placement.state();
  const size_t end = placed_ ? next_ : std::min<size_t>(state.NodeSlots(), next_ + kNodesPerSlice);
  std::vector<std::string_view> names;
  for (; next_ < end; ++next_) {
    if (state.GetNode(next_) != nullptr) names.push_back(state.NodeName(next_));
  }
  for (const NodeExplanation& node : Explain(placement, *pod_, names, now)) {
    if (node.reason == policy::Reason::kFits) continue;
    if (!std::exchange(first_, false)) out += ',';
    AppendNode(out, node, resources, placement.options());
  }
  const bool more = !placed_ && next_ < state.NodeSlots();
  if (!more) out += "]}\n";
  return more;
}

}  // namespace huygens::admin
