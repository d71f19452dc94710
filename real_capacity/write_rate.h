// How many writes there may be in a second, however many are due: a bucket that holds a second's worth, and begins with
// one. Pure; owned by one thread.
#pragma once

#include <optional>

#include "base/time.h"

namespace huygens::real_capacity {

class WriteRate {
 public:
  // At least 1.
  explicit WriteRate(double per_second) : per_second_(per_second) {}

  // Nothing: one may be written now, and counts. Else how long to wait before asking again. `now`: by a clock that nobody
  // sets.
  std::optional<Duration> Take(Duration now);

 private:
  const double per_second_;
  double left_ = 1;
  std::optional<Duration> refilled_;
};

}  // namespace huygens::real_capacity
