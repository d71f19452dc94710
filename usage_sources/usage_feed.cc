#include "usage_sources/usage_feed.h"

#include <algorithm>
#include <utility>

#include "base/duration_text.h"

namespace huygens::usage_sources {

UsageFeed::UsageFeed(net::EventLoop& loop, const Clock& clock, observe::Log& log, observe::Metrics& metrics,
                     ReadingsQueue& queue, std::unique_ptr<Source> source, Duration interval)
    : clock_(clock),
      log_(log),
      metrics_(metrics),
      queue_(queue),
      source_(source->name()),
      poller_(
          std::move(source), interval, clock, std::make_unique<SteadyWaiter>(), SystemRandom(),
          [this](usage::Readings readings) { queue_.Deliver(std::move(readings)); },
          [this, &loop](PollReport report) { loop.Post([this, report = std::move(report)] { Take(report); }); }) {}

void UsageFeed::Stop() {
  queue_.Close();
  poller_.Stop();
}

void UsageFeed::Take(const PollReport& report) {
  const bool ok = report.status.ok();
  last_ = report;
  if (report.progress.not_asked.empty()) {
    metrics_.UsageRefresh(ok, report.took, report.progress.left_out);
    if (ok) last_good_ = report.at;
    if (!report.progress.history_alone) heard_ = true;
    const std::string why(Message(report.status));
    if (const std::string before = std::exchange(warned_, why); !ok && why != before) {
      log_.Warn("usage source fails", {{"source", source_}, {"why", why}});
    } else if (ok && !before.empty()) {
      log_.Info("usage source works again", {{"source", source_}});
    }
  }
  if (!ok) return;
  for (const std::string& notice : report.progress.notices) {
    if (std::ranges::find(notices_, notice) == notices_.end())
      log_.Warn("usage source", {{"source", source_}, {"notice", notice}});
  }
  notices_ = report.progress.notices;
  for (const std::string& resource : without_nodes_) metrics_.SetUsageWithoutNodes(resource, false);
  without_nodes_ = report.progress.without_nodes;
  for (const std::string& resource : without_nodes_) metrics_.SetUsageWithoutNodes(resource, true);
}

observe::Readiness::Item UsageFeed::Describe() const {
  observe::Readiness::Item item{.ok = true, .name = "usage-source", .detail = source_};
  if (!last_) {
    item.detail += ": not asked yet";
    return item;
  }
  const Duration age = last_good_ ? clock_.Now() - *last_good_ : Duration::zero();
  const std::string good = last_good_ ? Concat(SecondsText(age), " ago") : "never";
  if (!last_->progress.not_asked.empty()) {
    item.detail += Concat(": ", last_->progress.not_asked);
  } else if (last_->status.ok()) {
    item.detail += Concat(last_->progress.partial ? ": partly fails, last answer " : ": ok, ", good);
  } else {
    item.warning = true;
    item.detail += Concat(": fails, last good answer ", good, ": ", Message(last_->status));
  }
  for (const std::string& notice : last_->progress.notices) {
    item.warning = true;
    item.detail += Concat("; ", notice);
  }
  return item;
}

}  // namespace huygens::usage_sources
