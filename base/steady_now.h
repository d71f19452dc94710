// The time by a clock that nobody sets, since an arbitrary start; as SteadyWaiter has it. Any thread.
#pragma once

#include <chrono>

#include "base/time.h"

namespace huygens {

inline Duration SteadyNow() { return std::chrono::steady_clock::now().time_since_epoch(); }

}  // namespace huygens
