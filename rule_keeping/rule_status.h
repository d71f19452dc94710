// What is written into the status of a rule. Bounded, and with the time of a condition only where its status changes, so
// that what says the same is not written again. Pure; any thread.
#pragma once

#include <optional>
#include <string>

#include "base/time.h"
#include "rule_keeping/standings.h"
#include "rules/rule.h"

namespace huygens::rule_keeping {

// Whether the API server applies a rule that is marked always; nothing: not known yet.
struct PolicyState {
  bool in_step = false;
  std::string why;  // where it is not
};

rules::RuleStatus StatusOf(const rules::SchedulingRule& rule, const RuleCount& count,
                           const std::optional<PolicyState>& policy, const std::vector<rules::RuleError>& errors,
                           Time now);

}  // namespace huygens::rule_keeping
