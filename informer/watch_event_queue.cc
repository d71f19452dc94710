#include "informer/watch_event_queue.h"

#include <algorithm>
#include <string>
#include <utility>
#include <variant>

namespace huygens::informer {

namespace {

constexpr size_t kEventsPerStep = 8;

std::string_view TypeName(const cluster::WatchEvent& event) {
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
    std::string_view operator()(const cluster::WorkloadSet&) const { return "set"; }
    std::string_view operator()(const cluster::WorkloadKept&) const { return ""; }
    std::string_view operator()(const cluster::WorkloadGone&) const { return "gone"; }
  };
  return std::visit(Visitor(), event);
}

}  // namespace

void ReportFault(observe::Log& log, observe::Metrics& metrics, cluster::Kind kind, std::string_view object,
                 std::string_view fault, bool in_use, std::string_view name) {
  metrics.WatchEvent(kind, "fault");
  log.Warn(in_use ? "part of an object is ignored" : "object cannot be read",
           {{"kind", name.empty() ? Name(kind) : name}, {"object", object}, {"fault", fault}});
}

void WatchEventQueue::Deliver(kube::WatchEventBatch batch) {
  if (backpressure_.Enter(batch.bytes)) batches_.Deliver(std::move(batch));
}

void WatchEventQueue::Report(kube::WatchReport report) {
  loop_.Post([this, report = std::move(report)] {
    kube::WatchReport& watch = watches_[static_cast<size_t>(report.kind)];
    watch = report;
    const bool bad = report.state == kube::WatchState::kBroken || report.state == kube::WatchState::kForbidden;
    const auto level = bad ? observe::LogLevel::kWarn : observe::LogLevel::kInfo;
    log_.Write(
        level, "watch",
        {{"kind", name_.empty() ? Name(report.kind) : name_}, {"state", Name(report.state)}, {"why", report.why}});
    metrics_.SetWatchSynced(report.kind,
                            report.state == kube::WatchState::kSynced || report.state == kube::WatchState::kAbsent);
    handler_.WatchChanged(report);
  });
}

void WatchEventQueue::ObjectFault(cluster::Kind kind, std::string_view object, const Status& fault, bool in_use) {
  if (!fault.ok()) ReportFault(log_, metrics_, kind, object, Message(fault), in_use, name_);
  loop_.Post([this, kind, object = std::string(object), text = std::string(Message(fault)), in_use] {
    handler_.ObjectFault(kind, object, text, in_use);
  });
}

Duration WatchEventQueue::Silence(cluster::Kind kind) const {
  const auto k = static_cast<size_t>(kind);
  if (seen_[k] == 0 || watches_[k].state == kube::WatchState::kAbsent) return Duration::zero();
  return monotonic_() - heard_[k];
}

bool WatchEventQueue::ApplySome(kube::WatchEventBatch& batch) {
  for (const size_t end = std::min(batch.events.size(), next_ + kEventsPerStep); next_ < end; ++next_) {
    if (const auto* end_of_list = std::get_if<cluster::ListEnd>(&batch.events[next_])) {
      if (handler_.Sweep(end_of_list->kind, kEventsPerStep)) return true;
    }
    const cluster::WatchEvent event = std::move(batch.events[next_]);  // goes away here and not with all others at once
    handler_.Apply(batch.kind, event);
    if (std::string_view type = TypeName(event); !type.empty()) metrics_.WatchEvent(batch.kind, type);
  }
  if (next_ < batch.events.size()) return true;
  next_ = 0;
  Finish(batch);
  return false;
}

void WatchEventQueue::Finish(const kube::WatchEventBatch& batch) {
  backpressure_.Leave(batch.bytes);
  if (!batch.events.empty()) metrics_.WatchLag(batch.kind, std::chrono::steady_clock::now() - batch.received);
  if (batch.resource_version == 0) return;
  seen_[static_cast<size_t>(batch.kind)] = batch.resource_version;
  heard_[static_cast<size_t>(batch.kind)] = monotonic_();
  if (on_progress_) on_progress_(batch.kind);
}

}  // namespace huygens::informer
