// A time as people read it: "2026-11-21T13:27:04Z (2m ago)". Pure; any thread.
#pragma once

#include <string>

#include "base/time.h"

namespace huygens::reports {

std::string When(Time time, Time now);

}  // namespace huygens::reports
