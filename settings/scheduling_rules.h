// Policy as data (docs/rules.md): what `huygens webhook` makes of SchedulingRules. Plain values with the defaults.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace huygens::settings {

// kReport: of every rule it is counted and logged what it would change, and no object is changed.
enum class SchedulingRulesMode : uint8_t { kOff, kReport, kEnforce };

struct SchedulingRulesConfiguration {
  SchedulingRulesMode mode = SchedulingRulesMode::kOff;
  // Besides those of the system: where huygens itself runs.
  std::vector<std::string> excluded_namespaces;
};

}  // namespace huygens::settings
