// Rules in the order in which they are applied, and which of them are for an object. Immutable; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "rules/object_write.h"
#include "rules/rule.h"

namespace huygens::rules {

// By priority, the highest first, then by name: the order in which they come makes no difference.
class RuleSet {
 public:
  RuleSet() = default;
  explicit RuleSet(std::vector<SchedulingRule> rules);
  const std::vector<SchedulingRule>& rules() const { return rules_; }
  // Null: there is none of this name.
  const SchedulingRule* Find(std::string_view name) const;
  // Positions in rules(), in order, of all rules that can be for the object; those that are for other kinds, and most of
  // those for other labels or namespaces, cost nothing. `labels` as Judge takes them.
  std::vector<uint32_t> Candidates(const Subject& subject, const Tree* labels) const;

 private:
  // The rules for one kind, each by the first thing that an object must have for it.
  struct OfKind {
    std::vector<uint32_t> any;
    TextMap<std::vector<uint32_t>> by_label;      // "app=cart"
    TextMap<std::vector<uint32_t>> by_namespace;  // of those that want no value of a label
  };
  void File(uint32_t position);

  std::vector<SchedulingRule> rules_;
  TextMap<OfKind> by_kind_;  // without those that are broken
};

enum class Verdict : uint8_t {
  kApplied,        // at least one value is as the rule says
  kWouldApply,     // the same, of a rule that only reports
  kOnlyConflicts,  // it is for the object, and each of its values lost
  kNothingHere,    // it is for the object, and has nothing that this write can change
  kBroken,
  kOtherKind,
  kOtherNamespace,
  kNamespaceUnknown,
  kOtherNamespaceLabels,
  kOtherLabels,
  kOtherOwner,
  kExcluded,
  kSkipped,
  kTooEarly,
  kTooLate,
  kOutsideShare,
};

// A sentence about why, for people.
std::string_view VerdictText(Verdict verdict);
// kApplied: the rule is for the object. `labels` are those that the object has without what rules put there.
Verdict Judge(const SchedulingRule& rule, const Subject& subject, const Tree* labels, const Surroundings& surroundings);

// The place of an object in a roll-out, 0 to 9999: the same for ever, different from rule to rule. A rule is for those
// below its share.
int64_t PlaceInRollout(std::string_view rule_name, std::string_view key);

}  // namespace huygens::rules
