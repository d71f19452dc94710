// Time as a test sets it.
#pragma once

#include <atomic>

#include "base/time.h"

namespace huygens::test {

// A moment in 2026, for tests to which any will do.
inline const Time kNow = Time(std::chrono::hours(24 * 365 * 56));

// Stands still until it is moved. Any thread.
class ManualClock final : public Clock {
 public:
  explicit ManualClock(Time now = kNow) : now_(now) {}
  Time Now() const override { return now_; }
  void Advance(Duration step) { now_ = now_.load() + step; }

 private:
  std::atomic<Time> now_;
};

}  // namespace huygens::test
