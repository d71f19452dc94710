#include "rule_objects/known_rules.h"

#include <utility>
#include <vector>

#include "base/text.h"

namespace huygens::rule_objects {

std::string MissingClass(const rules::SchedulingRule& rule,
                         const std::function<bool(std::string_view)>& has_priority_class) {
  const std::string& name = rule.injection.priority_class_name;
  if (name.empty() || has_priority_class(name)) return "";
  return Concat("inject.priorityClassName: there is no PriorityClass ", name,
                ", and the API server would refuse each pod that named it");
}

rules::RuleSet WithoutMissingClasses(const rules::RuleSet& rules,
                                     const std::function<bool(std::string_view)>& has_priority_class) {
  std::vector<rules::SchedulingRule> all = rules.rules();
  for (rules::SchedulingRule& rule : all) {
    if (rule.defect.empty()) rule.defect = MissingClass(rule, has_priority_class);
  }
  return rules::RuleSet(std::move(all));
}

}  // namespace huygens::rule_objects
