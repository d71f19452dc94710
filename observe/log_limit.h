// Two small values that keep a log from repeating itself. Not thread-safe: each belongs to whoever logs with it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/time.h"

namespace huygens::observe {

// At most one line per interval.
//   if (auto left_out = limit_.Allow(now)) log.Warn("bad request", {{"peer", peer}, {"leftOut", *left_out}});
class RateLimit {
 public:
  explicit RateLimit(Duration interval) : interval_(interval) {}

  // Empty: say nothing now. Otherwise how many were kept silent since the last one that was allowed.
  std::optional<uint64_t> Allow(Time now) {
    if (next_ && now < *next_ && now >= *next_ - interval_) {
      ++left_out_;
      return std::nullopt;
    }
    next_ = now + interval_;
    return std::exchange(left_out_, 0);
  }

 private:
  const Duration interval_;
  std::optional<Time> next_;
  uint64_t left_out_ = 0;
};

// Once per change of state: if (state_.Changes(why)) log.Warn("not ready", {{"why", why}});
class StateChange {
 public:
  // Whether this differs from what it was told before; "" is the state at the start.
  bool Changes(std::string_view state) {
    if (state == state_) return false;
    state_ = state;
    return true;
  }

 private:
  std::string state_;
};

}  // namespace huygens::observe
