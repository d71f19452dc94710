// huygens rules history and back: what a rule said before, and the way back to it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"
#include "rule_reports/api_call.h"

namespace huygens::rule_reports {

// One line a revision, the newest last; with a `number` what that one says, and how it differs from what the rule says.
StatusOr<std::string> RuleHistory(const ApiCall& api, const std::string& rule, int64_t number);
// Writes the rule as the revision has it; `number` 0: the newest that says something else. What was done, in words.
StatusOr<std::string> TakeRuleBack(const ApiCall& api, const std::string& rule, int64_t number, bool dry_run);

// The lines of `before` and `after`, values by their places: "~ /priority: 1 -> 2".
std::string SpecDifference(std::string_view before, std::string_view after);

}  // namespace huygens::rule_reports
