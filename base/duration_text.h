// Durations as people read them. Pure; any thread.
#pragma once

#include <string>

#include "base/time.h"

namespace huygens {

// "7d", "90s", "1m", as a configuration says it: the largest unit that gives a whole number, but seconds up to three
// minutes. ParseDuration reads it.
std::string DurationText(Duration duration);

// "12 s": whole seconds, rounded towards 0.
std::string SecondsText(Duration duration);

// "45s", "24m", "12h 4m", "3d": about how long ago something was, rounded towards 0.
std::string AgeText(Duration age);

}  // namespace huygens
