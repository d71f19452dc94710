#include "usage_sources/poller.h"

#include <algorithm>
#include <utility>

namespace huygens::usage_sources {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

}  // namespace

Poller::Poller(std::unique_ptr<Source> source, Duration interval, const Clock& clock, std::unique_ptr<Waiter> waiter,
               Random random, Deliver deliver, std::function<void(PollReport)> report)
    : source_(std::move(source)),
      interval_(interval),
      clock_(clock),
      waiter_(std::move(waiter)),
      deliver_(std::move(deliver)),
      report_(std::move(report)),
      backoff_(seconds(1), minutes(1), std::move(random)) {}

Poller::~Poller() { Stop(); }

void Poller::Start() {
  thread_ = std::thread([this] { Loop(); });
}

void Poller::Stop() {
  waiter_->Interrupt();
  source_->Cancel();
  if (thread_.joinable()) thread_.join();
}

void Poller::Loop() {
  while (!waiter_->interrupted()) {
    if (const Duration pause = Refresh(); pause > Duration::zero()) waiter_->Wait(pause);
  }
}

Duration Poller::Refresh() {
  const Duration begin = waiter_->Now();
  PollReport report{.at = clock_.Now()};
  StatusOr<Progress> progress = source_->Refresh(report.at, deliver_);
  if (waiter_->interrupted()) return {};  // an end that Stop brought about is none of the source's doing
  report.status = progress.status();
  report.took = waiter_->Now() - begin;
  if (progress.ok()) report.progress = *std::move(progress);
  const bool more = report.progress.more;
  const bool answered = report.status.ok() && (more || report.progress.not_asked.empty());
  const Duration left = std::max(Duration::zero(), interval_ - report.took);
  report_(std::move(report));
  if (!answered) return backoff_.Next();
  backoff_.Reset();
  return more ? Duration::zero() : left;
}

}  // namespace huygens::usage_sources
