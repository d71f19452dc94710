// What went wrong last for each rule, a few of them. Owned by one thread.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "rules/rule.h"

namespace huygens::rule_keeping {

class RecentErrors {
 public:
  static constexpr size_t kMost = 4;

  // The same message again only moves its time.
  void Add(const std::string& rule, std::string message, Time now) {
    std::vector<rules::RuleError>& errors = by_rule_[rule];
    std::erase_if(errors, [&](const rules::RuleError& each) { return each.message == message; });
    if (errors.size() == kMost) errors.erase(errors.begin());
    errors.push_back({std::move(message), std::chrono::floor<std::chrono::seconds>(now)});
  }
  void Forget(const std::string& rule) { by_rule_.erase(rule); }
  const std::vector<rules::RuleError>& Of(const std::string& rule) const {
    static const std::vector<rules::RuleError> kNone;
    const auto at = by_rule_.find(rule);
    return at == by_rule_.end() ? kNone : at->second;
  }

 private:
  std::map<std::string, std::vector<rules::RuleError>> by_rule_;
};

}  // namespace huygens::rule_keeping
