#include "extender/inbox.h"

#include <chrono>

namespace huygens::extender {

namespace {

// A slice ends after so much time; the clock is read every few events.
constexpr auto kSlice = std::chrono::microseconds(500);
constexpr size_t kEventsPerLook = 16;

std::string_view TypeName(const cluster::Event& event) {
  struct Visitor {
    std::string_view operator()(const cluster::ListBegin&) const { return "list"; }
    std::string_view operator()(const cluster::ListEnd&) const { return ""; }  // counted when it began
    std::string_view operator()(const cluster::NodeSet&) const { return "set"; }
    std::string_view operator()(const cluster::PodSet&) const { return "set"; }
    std::string_view operator()(const cluster::TopologySet&) const { return "set"; }
    std::string_view operator()(const cluster::PodKept&) const { return ""; }  // counted as a fault
    std::string_view operator()(const cluster::NodeGone&) const { return "gone"; }
    std::string_view operator()(const cluster::PodGone&) const { return "gone"; }
    std::string_view operator()(const cluster::TopologyGone&) const { return "gone"; }
  };
  return std::visit(Visitor(), event);
}

}  // namespace

void Inbox::Deliver(kube::EventBatch batch) {
  bool schedule = false;
  {
    std::lock_guard lock(mutex_);
    batches_.push_back(std::move(batch));
    schedule = !std::exchange(scheduled_, true);
  }
  if (schedule) loop_.Post([this] { Drain(); });
}

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

void Inbox::ObjectFault(cluster::Kind kind, std::string_view object, const Status& fault) {
  context_.metrics.WatchEvent(kind, "fault");
  context_.log.Warn("object cannot be read", {{"kind", Name(kind)}, {"object", object}, {"fault", Message(fault)}});
}

void Inbox::Drain() {
  auto end = std::chrono::steady_clock::now() + kSlice;
  size_t count = 0;
  while (true) {
    if (next_ == current_.events.size()) {
      std::lock_guard lock(mutex_);
      if (batches_.empty()) {
        scheduled_ = false;
        return;
      }
      current_ = std::move(batches_.front());
      batches_.pop_front();
      next_ = 0;
    }
    for (; next_ < current_.events.size(); ++next_) {
      if (++count % kEventsPerLook == 0 && std::chrono::steady_clock::now() > end) {
        loop_.Post([this] { Drain(); });
        return;
      }
      const cluster::Event& event = current_.events[next_];
      context_.placement.Apply(event);
      if (std::string_view type = TypeName(event); !type.empty()) context_.metrics.WatchEvent(current_.kind, type);
    }
    Finish(current_);
  }
}

void Inbox::Finish(const kube::EventBatch& batch) {
  if (!batch.events.empty()) context_.metrics.WatchLag(batch.kind, context_.clock.Now() - batch.received);
  if (batch.resource_version == 0) return;
  seen_[static_cast<size_t>(batch.kind)] = batch.resource_version;
  if (on_progress_) on_progress_(batch.kind);
}

}  // namespace huygens::extender
