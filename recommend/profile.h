// How a model looks back, as one name in the configuration. Pure.
#pragma once

#include "base/time.h"
#include "recommend/correction.h"

namespace huygens::recommend {

struct Profile {
  Duration half_life{};
  double cpu_percentile = 0;
  double memory_percentile = 0;
  int64_t expansion = kOne;  // millionths, on what the model says
};

// The default. It still sees the last working day on a Monday, so that it holds with less slack than the other
// (docs/overcommit.md has the figures).
inline constexpr Profile kWeekly{std::chrono::hours(72), 0.96, 0.99, 1'100'000};
// vivo's own, which forgets a day after three.
inline constexpr Profile kDaily{std::chrono::hours(24), 0.95, 0.99, 1'200'000};

}  // namespace huygens::recommend
