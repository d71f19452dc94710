#include "extender/usage_inbox.h"

#include <utility>

namespace huygens::extender {

namespace {

// Some megabytes.
constexpr size_t kMostWaiting = 128;
// Of Placement::SettleUsage: so few take about 0.2 ms.
constexpr size_t kNodesPerStep = 4;

}  // namespace

UsageInbox::UsageInbox(Context& context, net::EventLoop& loop)
    : context_(context),
      slices_(
          loop,
          [this](usage::Readings& readings) {
            Apply(readings);
            return false;
          },
          [this] { return context_.placement.SettleUsage(kNodesPerStep); }) {}

void UsageInbox::Deliver(usage::Readings readings) {
  {
    std::unique_lock lock(mutex_);
    room_.wait(lock, [this] { return closed_ || waiting_ < kMostWaiting; });
    if (closed_) return;
    ++waiting_;
  }
  slices_.Deliver(std::move(readings));
}

bool UsageInbox::Empty() {
  std::lock_guard lock(mutex_);
  return waiting_ == 0;
}

void UsageInbox::Close() {
  std::lock_guard lock(mutex_);
  closed_ = true;
  room_.notify_all();
}

void UsageInbox::Apply(const usage::Readings& readings) {
  context_.placement.ApplyUsage(readings, context_.clock.Now());
  std::lock_guard lock(mutex_);
  --waiting_;
  room_.notify_one();
}

}  // namespace huygens::extender
