#include "extender/inbox.h"

#include <algorithm>

#include "base/text.h"
#include "kube/list_path.h"
#include "kubelet/settings.h"
#include "usage/options.h"
#include "wire/node_annotations.h"

namespace huygens::extender {

namespace {

constexpr size_t kEventsPerStep = 8;

std::string_view TypeName(const cluster::Event& event) {
  struct Visitor {
    std::string_view operator()(const cluster::ListBegin&) const { return "list"; }
    std::string_view operator()(const cluster::ListEnd&) const { return ""; }  // counted when it began
    std::string_view operator()(const cluster::NodeSet&) const { return "set"; }
    std::string_view operator()(const cluster::PodSet&) const { return "set"; }
    std::string_view operator()(const cluster::TopologySet&) const { return "set"; }
    std::string_view operator()(const cluster::BizGroupQuotaSet&) const { return "set"; }
    std::string_view operator()(const cluster::ResourceClaimSet&) const { return "set"; }
    std::string_view operator()(const cluster::DeviceClassSet&) const { return "set"; }
    std::string_view operator()(const cluster::PodKept&) const { return ""; }  // counted as a fault
    std::string_view operator()(const cluster::NodeGone&) const { return "gone"; }
    std::string_view operator()(const cluster::PodGone&) const { return "gone"; }
    std::string_view operator()(const cluster::TopologyGone&) const { return "gone"; }
    std::string_view operator()(const cluster::BizGroupQuotaGone&) const { return "gone"; }
    std::string_view operator()(const cluster::ResourceClaimGone&) const { return "gone"; }
    std::string_view operator()(const cluster::DeviceClassGone&) const { return "gone"; }
  };
  return std::visit(Visitor(), event);
}

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

void Inbox::Deliver(kube::EventBatch batch) {
  if (backpressure_.Enter(batch.bytes)) batches_.Deliver(std::move(batch));
}

void Inbox::Report(kube::WatchReport report) {
  loop_.Post([this, report = std::move(report)] {
    kube::WatchReport& watch = watches_[static_cast<size_t>(report.kind)];
    watch = report;
    const bool bad = report.state == kube::WatchState::kBroken || report.state == kube::WatchState::kForbidden;
    const auto level = bad ? observe::LogLevel::kWarn : observe::LogLevel::kInfo;
    context_.log.Write(level, "watch",
                       {{"kind", Name(report.kind)}, {"state", Name(report.state)}, {"why", report.why}});
    context_.metrics.SetWatchSynced(
        report.kind, report.state == kube::WatchState::kSynced || report.state == kube::WatchState::kAbsent);
    if (kube::IsOfDevices(report.kind)) TellUnreadable();
  });
}

// What was listed once goes on as it was last seen.
void Inbox::TellUnreadable() {
  const auto why = [this](cluster::Kind kind) {
    const kube::WatchReport& watch = Watch(kind);
    const bool unreadable = watch.state == kube::WatchState::kForbidden && !context_.placement.state().Synced(kind);
    return unreadable ? Concat("huygens may not read ", Name(kind), ": ", watch.why) : std::string();
  };
  context_.placement.SetUnreadable(why(cluster::Kind::kResourceClaim), why(cluster::Kind::kDeviceClass));
}

void Inbox::ObjectFault(cluster::Kind kind, std::string_view object, const Status& fault, bool in_use) {
  LogFault(kind, object, Message(fault), in_use);
  if (kind != cluster::Kind::kNode || !in_use) return;
  loop_.Post([this, name = std::string(object), text = std::string(Message(fault))] {
    const cluster::State& state = context_.placement.state();
    const auto node = state.FindNode(name);
    node_faults_.Unreadable(name, text, context_.clock.Now(), node ? state.GetNode(*node) : nullptr);
  });
}

void Inbox::LogFault(cluster::Kind kind, std::string_view object, std::string_view fault, bool in_use) {
  context_.metrics.WatchEvent(kind, "fault");
  context_.log.Warn(in_use ? "part of an object is ignored" : "object cannot be read",
                    {{"kind", Name(kind)}, {"object", object}, {"fault", fault}});
}

void Inbox::ReportUnknownSetting(cluster::Kind kind, std::string_view object, std::string_view fault) {
  if (unknown_settings_[static_cast<size_t>(kind)].IsNews(object, fault)) LogFault(kind, object, fault, true);
}

void Inbox::ReportUnknownSettings(const cluster::Event& event) {
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
    const std::string label = kubelet::UnknownSetting(node->node);
    const std::string ceiling = UnknownCeiling(node->node, context_.placement.options().usage);
    const std::string both = Concat(label, label.empty() || ceiling.empty() ? "" : "; ", ceiling);
    ReportUnknownSetting(Kind::kNode, node->node.name, both);
    node_faults_.Seen(node->node, both);
  } else if (const auto* node_gone = std::get_if<cluster::NodeGone>(&event)) {
    ReportUnknownSetting(Kind::kNode, node_gone->name, "");
    node_faults_.Gone(node_gone->name);
  }
}

Duration Inbox::Silence(cluster::Kind kind) const {
  const auto k = static_cast<size_t>(kind);
  if (seen_[k] == 0 || watches_[k].state == kube::WatchState::kAbsent) return Duration::zero();
  return context_.monotonic() - heard_[k];
}

bool Inbox::ApplySome(kube::EventBatch& batch) {
  for (const size_t end = std::min(batch.events.size(), next_ + kEventsPerStep); next_ < end; ++next_) {
    if (const auto* end_of_list = std::get_if<cluster::ListEnd>(&batch.events[next_])) {
      if (context_.placement.Sweep(end_of_list->kind, kEventsPerStep)) return true;
    }
    const cluster::Event event = std::move(batch.events[next_]);  // goes away here and not with all others at once
    if (batch.kind == cluster::Kind::kCommunityTopology || batch.kind == cluster::Kind::kNode)
      ReportUnknownSettings(event);
    context_.placement.Apply(event);
    if (std::string_view type = TypeName(event); !type.empty()) context_.metrics.WatchEvent(batch.kind, type);
  }
  if (next_ < batch.events.size()) return true;
  next_ = 0;
  Finish(batch);
  return false;
}

void Inbox::Finish(const kube::EventBatch& batch) {
  backpressure_.Leave(batch.bytes);
  if (!batch.events.empty()) context_.metrics.WatchLag(batch.kind, std::chrono::steady_clock::now() - batch.received);
  if (batch.resource_version == 0) return;
  seen_[static_cast<size_t>(batch.kind)] = batch.resource_version;
  heard_[static_cast<size_t>(batch.kind)] = context_.monotonic();
  if (on_progress_) on_progress_(batch.kind);
}

}  // namespace huygens::extender
