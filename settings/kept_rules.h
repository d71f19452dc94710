// What `huygens controller` does with SchedulingRules (docs/rules.md): policies, objects that are there already, status and
// history. Plain values with the defaults.
#pragma once

#include <cstdint>

namespace huygens::settings {

// kReport: the status of rules says how objects stand to them, and the history of rules is kept; nothing else is written.
enum class KeptRulesMode : uint8_t { kOff, kReport, kEnforce };

struct KeptRulesConfiguration {
  KeptRulesMode mode = KeptRulesMode::kOff;
  bool policies = true;
  int64_t writes_per_second = 5;
};

}  // namespace huygens::settings
