// Whether what a rule says goes together, and would be taken by an API server in the objects it is for. The same faults
// as config/crd/schedulingrules.yaml has as CEL, and some that CEL cannot see. Pure; any thread.
#pragma once

#include "base/status.h"
#include "rules/rule.h"

namespace huygens::rules {

// Errors name the field below spec.
Status JudgeRule(const SchedulingRule& rule);

}  // namespace huygens::rules
