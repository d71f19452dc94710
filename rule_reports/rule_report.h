// What rules make of objects in files, in words.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rules/standing.h"

namespace huygens::rule_reports {

// Which rule gave which field, what lost to what, and why the other rules are not for it. `object` names it.
std::string RuleExplanation(std::string_view object, const rules::Outcome& outcome);
// What a write would change of how the object is now; empty: nothing.
std::string RuleDifference(std::string_view object, const rules::Outcome& outcome);
// A line for each operation of a JSON patch; empty: there is none.
std::string PatchText(std::string_view patch);
// What only a new pod would have; `node`: labels of where it is, null where they are not known.
std::string LackText(const std::vector<rules::Lack>& lacks, const Labels* node);

}  // namespace huygens::rule_reports
