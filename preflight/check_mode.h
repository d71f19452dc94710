// Whether a check of the configuration keeps pods off, only reports, or is not asked. Pure; any thread.
#pragma once

#include <string_view>

#include "extender/configuration.h"
#include "policy/check.h"

namespace huygens::preflight {

inline policy::CheckMode CheckModeOf(const extender::Configuration& configuration, std::string_view name) {
  for (const placement::CheckSetting& each : configuration.filter.checks) {
    if (each.name == name) return each.mode;
  }
  return policy::CheckMode::kOff;
}

}  // namespace huygens::preflight
