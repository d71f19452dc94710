// Which objects a rule is for, in CEL; what all rules of a policy want of labels is a selector of the policy, which costs
// nothing where it does not match. Expressions use the variables `labels`, `space` (labels of the namespace) and `owner`
// (kind of the controller that owns a pod). Pure; any thread.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/label_selector.h"
#include "rules/kinds.h"
#include "rules/rule.h"

namespace huygens::rule_policies {

// What each of them requires.
std::vector<LabelRequirement> CommonRequirements(std::span<const rules::SchedulingRule* const> rules);
// Without those that are `required` of every object already.
std::string MatchExpression(const rules::SchedulingRule& rule, const rules::KnownKind& kind,
                            const std::vector<LabelRequirement>& required);
// As a LabelSelector of Kubernetes.
rules::Tree SelectorTree(const std::vector<LabelRequirement>& requirements);

}  // namespace huygens::rule_policies
