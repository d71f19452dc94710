// What a rule says that an API server cannot do by itself. Pure; any thread.
#pragma once

#include <span>
#include <string>

#include "rules/rule.h"

namespace huygens::rule_policies {

// Empty: it can be compiled. `earlier`: the rules in force that come before it and are not compiled.
std::string RefusalReason(const rules::SchedulingRule& rule, std::span<const rules::SchedulingRule* const> earlier);

}  // namespace huygens::rule_policies
