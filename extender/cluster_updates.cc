#include "extender/cluster_updates.h"

#include <algorithm>
#include <string>

#include "base/text.h"
#include "extender/node_labels.h"
#include "kube/list_path.h"
#include "kubelet/settings.h"
#include "usage/options.h"
#include "wire/node_annotations.h"

namespace huygens::extender {

namespace {

// The first ceiling of the node's own that is of nothing watched, if anything is.
std::string UnknownCeiling(const cluster::Node& node, const usage::Options& usage) {
  if (usage.resources.empty()) return "";
  for (const auto& [name, ceiling] : node.usage_ceilings) {
    if (std::ranges::find(usage.resources, name, &usage::ResourceOptions::name) != usage.resources.end()) continue;
    std::string text =
        Concat("annotation ", wire::kUsageCeilingsAnnotation, ": no resource of usage.resources is called ", name,
               ", so its ceiling is held by nobody; there are ");
    for (const usage::ResourceOptions& each : usage.resources)
      text += Concat(&each == &usage.resources.front() ? "" : ", ", each.name);
    return text;
  }
  return "";
}

}  // namespace

std::vector<cluster::Kind> KindsToFollow(const placement::Placement& placement) {
  std::vector<cluster::Kind> kinds;
  for (cluster::Kind kind : cluster::kKinds)
    if (placement.Follows(kind)) kinds.push_back(kind);
  return kinds;
}

void ClusterUpdates::Apply(cluster::Kind kind, const cluster::WatchEvent& event) {
  if (kind == cluster::Kind::kCommunityTopology || kind == cluster::Kind::kNode) ReportUnknownSettings(event);
  context_.placement.Apply(event);
}

// What was listed once goes on as it was last seen.
void ClusterUpdates::WatchChanged(const kube::WatchReport& report) {
  watches_[static_cast<size_t>(report.kind)] = report;
  if (!kube::IsOfDevices(report.kind)) return;
  const auto why = [this](cluster::Kind kind) {
    const kube::WatchReport& watch = watches_[static_cast<size_t>(kind)];
    const bool unreadable = watch.state == kube::WatchState::kForbidden && !context_.placement.state().Synced(kind);
    return unreadable ? Concat("huygens may not read ", Name(kind), ": ", watch.why) : std::string();
  };
  context_.placement.SetUnreadable(why(cluster::Kind::kResourceClaim), why(cluster::Kind::kDeviceClass));
}

void ClusterUpdates::ObjectFault(cluster::Kind kind, std::string_view object, std::string_view fault, bool in_use) {
  using cluster::Kind;
  if (kind != Kind::kNode && kind != Kind::kCraneTopology && kind != Kind::kCommunityTopology) return;
  const cluster::State& state = context_.placement.state();
  const auto index = state.FindNode(object);
  const cluster::Node* node = index ? state.GetNode(*index) : nullptr;
  const auto set = [&](admin::NodeFaults::Part part, bool holds, std::string_view of_what) {
    node_faults_.Set(object, part, holds && !fault.empty() ? Concat(of_what, fault) : std::string(), node);
  };
  if (kind == Kind::kNode) return set(admin::NodeFaults::kAnnotations, in_use, "");
  set(admin::NodeFaults::kTopology, in_use, "its NodeResourceTopology: ");
  set(admin::NodeFaults::kDefect, !in_use, "its NodeResourceTopology cannot be used: ");
}

void ClusterUpdates::ReportUnknownSetting(cluster::Kind kind, std::string_view object, std::string_view fault) {
  if (unknown_settings_[static_cast<size_t>(kind)].IsNews(object, fault))
    informer::ReportFault(context_.log, context_.metrics, kind, object, fault, true);
}

void ClusterUpdates::ReportUnknownSettings(const cluster::WatchEvent& event) {
  using cluster::Kind;
  if (const auto* begin = std::get_if<cluster::ListBegin>(&event)) {
    unknown_settings_[static_cast<size_t>(begin->kind)].ListBegin();
  } else if (const auto* end = std::get_if<cluster::ListEnd>(&event)) {
    unknown_settings_[static_cast<size_t>(end->kind)].ListEnd();
  } else if (const auto* topology = std::get_if<cluster::TopologySet>(&event)) {
    const std::string fault = kubelet::UnknownSetting(topology->topology);
    ReportUnknownSetting(Kind::kCommunityTopology, topology->topology.node_name, fault);
  } else if (const auto* topology_gone = std::get_if<cluster::TopologyGone>(&event)) {
    ReportUnknownSetting(Kind::kCommunityTopology, topology_gone->node_name, "");
  } else if (const auto* node = std::get_if<cluster::NodeSet>(&event)) {
    const placement::Options& options = context_.placement.options();
    std::string all;
    for (const std::string& fault :
         {kubelet::UnknownSetting(node->node), UnreadLabels(node->node, options.quota.models),
          UnknownCeiling(node->node, options.usage)}) {
      if (!fault.empty()) all += Concat(all.empty() ? "" : "; ", fault);
    }
    ReportUnknownSetting(Kind::kNode, node->node.name, all);
    node_faults_.Seen(node->node, all);
  } else if (const auto* node_gone = std::get_if<cluster::NodeGone>(&event)) {
    ReportUnknownSetting(Kind::kNode, node_gone->name, "");
    node_faults_.Gone(node_gone->name);
  }
}

}  // namespace huygens::extender
