#include "extender/usage_feed.h"

#include <algorithm>
#include <utility>

namespace huygens::extender {

UsageFeed::UsageFeed(Context& context, net::EventLoop& loop, UsageInbox& inbox,
                     std::unique_ptr<usage_sources::Source> source, Duration interval)
    : context_(context),
      inbox_(inbox),
      source_(source->name()),
      poller_(
          std::move(source), interval, context.clock, std::make_unique<SteadyWaiter>(), SystemRandom(),
          [this](usage::Readings readings) { inbox_.Deliver(std::move(readings)); },
          [this, &loop](usage_sources::PollReport report) {
            loop.Post([this, report = std::move(report)] { Take(report); });
          }) {}

void UsageFeed::Stop() {
  inbox_.Close();
  poller_.Stop();
}

void UsageFeed::Take(const usage_sources::PollReport& report) {
  const bool ok = report.status.ok();
  last_ = report;
  if (report.progress.not_asked.empty()) {
    context_.metrics.UsageRefresh(ok, report.took, report.progress.left_out);
    if (ok) last_good_ = report.at;
    if (!report.progress.history_alone) heard_ = true;
    const std::string why(Message(report.status));
    if (const std::string before = std::exchange(warned_, why); !ok && why != before) {
      context_.log.Warn("usage source fails", {{"source", source_}, {"why", why}});
    } else if (ok && !before.empty()) {
      context_.log.Info("usage source works again", {{"source", source_}});
    }
  }
  if (!ok) return;
  for (const std::string& notice : report.progress.notices) {
    if (std::ranges::find(notices_, notice) == notices_.end())
      context_.log.Warn("usage source", {{"source", source_}, {"notice", notice}});
  }
  notices_ = report.progress.notices;
  for (const std::string& resource : without_nodes_) context_.metrics.SetUsageWithoutNodes(resource, false);
  without_nodes_ = report.progress.without_nodes;
  for (const std::string& resource : without_nodes_) context_.metrics.SetUsageWithoutNodes(resource, true);
}

observe::Readiness::Item UsageFeed::Describe() const {
  observe::Readiness::Item item{.ok = true, .name = "usage-source", .detail = source_};
  if (!last_) {
    item.detail += ": not asked yet";
    return item;
  }
  const Duration age = last_good_ ? context_.clock.Now() - *last_good_ : Duration::zero();
  const std::string good = last_good_ ? Concat(observe::SecondsText(age), " ago") : "never";
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

}  // namespace huygens::extender
