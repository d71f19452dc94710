#include "real_capacity/write_rate.h"

#include <algorithm>
#include <cmath>

namespace huygens::real_capacity {

std::optional<Duration> WriteRate::Take(Duration now) {
  using Seconds = std::chrono::duration<double>;
  if (refilled_) left_ = std::min(per_second_, left_ + Seconds(now - *refilled_).count() * per_second_);
  refilled_ = now;
  if (left_ >= 1) {
    left_ -= 1;
    return std::nullopt;
  }
  // A nanosecond more, or rounding would have it asked for again and again.
  return std::chrono::ceil<Duration>(Seconds((1 - left_) / per_second_)) + Duration(1);
}

}  // namespace huygens::real_capacity
