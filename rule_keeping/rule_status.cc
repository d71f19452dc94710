#include "rule_keeping/rule_status.h"

#include <algorithm>

#include "base/text.h"

namespace huygens::rule_keeping {

namespace {

using rules::RuleCondition;
using rules::SchedulingRule;

// config/crd/schedulingrules.yaml takes as many.
constexpr size_t kMostConflicts = 64, kMostErrors = 16;
constexpr size_t kLongestText = 1024;

void AddCondition(rules::RuleStatus& status, const SchedulingRule& rule, std::string_view type, bool holds,
                  std::string_view reason, std::string_view message, Time now) {
  RuleCondition condition{.type = std::string(type),
                          .status = holds ? "True" : "False",
                          .reason = std::string(reason),
                          .message = std::string(CutText(message, kLongestText)),
                          .observed_generation = rule.generation,
                          .last_transition_time = std::chrono::floor<std::chrono::seconds>(now)};
  const auto& before = rule.status.conditions;
  const auto was = std::ranges::find(before, condition.type, &RuleCondition::type);
  if (was != before.end() && was->status == condition.status && was->last_transition_time) {
    condition.last_transition_time = was->last_transition_time;
  }
  status.conditions.push_back(std::move(condition));
}

std::string CarriedMessage(const rules::RuleStatus& status) {
  std::string message = Concat(std::to_string(status.applied), " of ", std::to_string(status.matched), " objects");
  if (status.pending > 0) message += Concat("; ", std::to_string(status.pending), " are going to be changed in place");
  if (status.need_new_pods > 0) {
    message += Concat("; ", std::to_string(status.need_new_pods), " pods must be made anew, ",
                      std::to_string(status.misplaced), " of them are on a node where they may not be");
  }
  return message;
}

}  // namespace

rules::RuleStatus StatusOf(const SchedulingRule& rule, const RuleCount& count, const std::optional<PolicyState>& policy,
                           const std::vector<rules::RuleError>& errors, Time now) {
  rules::RuleStatus status;
  status.observed_generation = rule.generation;
  status.matched = count.matched;
  status.applied = count.carried;
  status.pending = count.pending;
  status.need_new_pods = count.lacking;
  status.misplaced = count.misplaced;
  AddCondition(status, rule, rules::kValid, rule.defect.empty(), rule.defect.empty() ? "Valid" : "CannotBeUsed",
               rule.defect, now);
  if (rule.always && policy) {
    AddCondition(status, rule, rules::kPoliciesInStep, policy->in_step, policy->in_step ? "InStep" : "NotCompiled",
                 policy->why, now);
  }
  if (rule.defect.empty()) {
    const bool carried = status.applied == status.matched;
    AddCondition(status, rule, rules::kCarried, carried,
                 carried                             ? "AllCarryIt"
                 : rule.mode == rules::Mode::kReport ? "OnlyReports"
                                                     : "SomeDoNot",
                 CarriedMessage(status), now);
  }
  // Those that most objects have, then by name.
  for (const auto& [what, objects] : count.conflicts) {
    status.conflicts.push_back({.field = what.first, .with = what.second, .objects = objects});
  }
  std::ranges::stable_sort(status.conflicts, std::greater(), &rules::RuleConflict::objects);
  if (status.conflicts.size() > kMostConflicts) status.conflicts.resize(kMostConflicts);
  status.last_errors.assign(errors.end() - static_cast<ptrdiff_t>(std::min(errors.size(), kMostErrors)), errors.end());
  for (rules::RuleError& error : status.last_errors) error.message = CutText(error.message, kLongestText);
  return status;
}

}  // namespace huygens::rule_keeping
