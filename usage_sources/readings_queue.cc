#include "usage_sources/readings_queue.h"

#include <utility>

namespace huygens::usage_sources {

namespace {
constexpr size_t kMostWaiting = 128;  // some megabytes
}

ReadingsQueue::ReadingsQueue(net::EventLoop& loop, std::function<void(const usage::Readings&)> apply,
                             std::function<bool()> settle)
    : backpressure_(kMostWaiting),
      slices_(
          loop,
          [this, apply = std::move(apply)](usage::Readings& readings) {
            apply(readings);
            backpressure_.Leave(1);
            return false;
          },
          std::move(settle)) {}

void ReadingsQueue::Deliver(usage::Readings readings) {
  if (backpressure_.Enter(1)) slices_.Deliver(std::move(readings));
}

}  // namespace huygens::usage_sources
