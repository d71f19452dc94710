// What is known of rules and of what they go by when an object is written, from wherever it is known.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/label_selector.h"
#include "rules/rule_set.h"

namespace huygens::rule_objects {

class KnownRules {
 public:
  virtual ~KnownRules() = default;
  // Those that can be used here and now; the others are in it with their defects. Never null.
  virtual std::shared_ptr<const rules::RuleSet> rules() const = 0;
  // Null: not known.
  virtual const Labels* NamespaceLabels(std::string_view name) const = 0;
  virtual bool HasPriorityClass(std::string_view name) const = 0;
  // What is not known yet and is needed, in words for people; empty: nothing.
  virtual std::string NotReady() const = 0;
};

// The same rules; those that name a PriorityClass that is not there cannot be used, for an API server would refuse each
// pod that they are for.
rules::RuleSet WithoutMissingClasses(const rules::RuleSet& rules,
                                     const std::function<bool(std::string_view)>& has_priority_class);
// The sentence about it; empty: it names none, or one that is there.
std::string MissingClass(const rules::SchedulingRule& rule,
                         const std::function<bool(std::string_view)>& has_priority_class);

}  // namespace huygens::rule_objects
