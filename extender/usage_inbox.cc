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
      backpressure_(kMostWaiting),
      slices_(
          loop,
          [this](usage::Readings& readings) {
            Apply(readings);
            return false;
          },
          [this] { return context_.placement.SettleUsage(kNodesPerStep); }) {}

void UsageInbox::Deliver(usage::Readings readings) {
  if (backpressure_.Enter(1)) slices_.Deliver(std::move(readings));
}

void UsageInbox::Apply(const usage::Readings& readings) {
  context_.placement.ApplyUsage(readings, context_.clock.Now());
  backpressure_.Leave(1);
}

}  // namespace huygens::extender
