// What rules make of objects in files, in words.
#pragma once

#include <string>
#include <string_view>

#include "rules/inject.h"

namespace huygens::cli {

// Which rule gave which field, what lost to what, and why the other rules are not for it. `object` names it.
std::string RuleExplanation(std::string_view object, const rules::Outcome& outcome);
// What a write would change of how the object is now; empty: nothing.
std::string RuleDifference(std::string_view object, const rules::Outcome& outcome);

}  // namespace huygens::cli
