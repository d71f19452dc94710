#include "extender/inbox.h"

#include <algorithm>

#include "topology/kubelet_settings.h"

namespace huygens::extender {

namespace {

constexpr size_t kEventsPerStep = 16;

std::string_view TypeName(const cluster::Event& event) {
  struct Visitor {
    std::string_view operator()(const cluster::ListBegin&) const { return "list"; }
    std::string_view operator()(const cluster::ListEnd&) const { return ""; }  // counted when it began
    std::string_view operator()(const cluster::NodeSet&) const { return "set"; }
    std::string_view operator()(const cluster::PodSet&) const { return "set"; }
    std::string_view operator()(const cluster::TopologySet&) const { return "set"; }
    std::string_view operator()(const cluster::BizGroupQuotaSet&) const { return "set"; }
    std::string_view operator()(const cluster::PodKept&) const { return ""; }  // counted as a fault
    std::string_view operator()(const cluster::NodeGone&) const { return "gone"; }
    std::string_view operator()(const cluster::PodGone&) const { return "gone"; }
    std::string_view operator()(const cluster::TopologyGone&) const { return "gone"; }
    std::string_view operator()(const cluster::BizGroupQuotaGone&) const { return "gone"; }
  };
  return std::visit(Visitor(), event);
}

}  // namespace

void Inbox::Report(kube::WatchReport report) {
  loop_.Post([this, report = std::move(report)] {
    kube::WatchReport& watch = watches_[static_cast<size_t>(report.kind)];
    watch = report;
    auto level = report.state == kube::WatchState::kBroken ? observe::LogLevel::kWarn : observe::LogLevel::kInfo;
    context_.log.Write(level, "watch",
                       {{"kind", Name(report.kind)}, {"state", Name(report.state)}, {"why", report.why}});
    context_.metrics.SetWatchSynced(
        report.kind, report.state == kube::WatchState::kSynced || report.state == kube::WatchState::kAbsent);
  });
}

void Inbox::ObjectFault(cluster::Kind kind, std::string_view object, const Status& fault, bool in_use) {
  context_.metrics.WatchEvent(kind, "fault");
  context_.log.Warn(in_use ? "part of an object is ignored" : "object cannot be read",
                    {{"kind", Name(kind)}, {"object", object}, {"fault", Message(fault)}});
}

void Inbox::ReportUnknownSettings(const cluster::Event& event) {
  if (std::holds_alternative<cluster::ListBegin>(event)) unknown_settings_.ListBegin();
  if (std::holds_alternative<cluster::ListEnd>(event)) unknown_settings_.ListEnd();
  if (const auto* gone = std::get_if<cluster::TopologyGone>(&event)) unknown_settings_.IsNews(gone->node_name, "");
  if (const auto* set = std::get_if<cluster::TopologySet>(&event)) {
    const std::string fault = topology::UnknownSetting(set->topology);
    if (unknown_settings_.IsNews(set->topology.node_name, fault)) {
      ObjectFault(cluster::Kind::kCommunityTopology, set->topology.node_name, Invalid(fault), true);
    }
  }
}

bool Inbox::ApplySome(kube::EventBatch& batch) {
  for (const size_t end = std::min(batch.events.size(), next_ + kEventsPerStep); next_ < end; ++next_) {
    const cluster::Event& event = batch.events[next_];
    if (batch.kind == cluster::Kind::kCommunityTopology) ReportUnknownSettings(event);
    context_.placement.Apply(event);
    if (std::string_view type = TypeName(event); !type.empty()) context_.metrics.WatchEvent(batch.kind, type);
  }
  if (next_ < batch.events.size()) return true;
  next_ = 0;
  Finish(batch);
  return false;
}

void Inbox::Finish(const kube::EventBatch& batch) {
  if (!batch.events.empty()) context_.metrics.WatchLag(batch.kind, context_.clock.Now() - batch.received);
  if (batch.resource_version == 0) return;
  seen_[static_cast<size_t>(batch.kind)] = batch.resource_version;
  if (on_progress_) on_progress_(batch.kind);
}

}  // namespace huygens::extender
