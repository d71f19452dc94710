// Rules applied to one write of an object: the patch, and what each rule did. A pure function: the same write, rules and
// surroundings give the same bytes. Any thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "rules/editor.h"
#include "rules/object_write.h"
#include "rules/rule_set.h"

namespace huygens::rules {

struct RuleOutcome {
  const SchedulingRule* rule = nullptr;
  Verdict verdict = Verdict::kApplied;
};

struct Outcome {
  // Why no rule is for this write at all; then all else is empty.
  std::string untouched;
  std::string patch;               // JSON of RFC 6902; empty: the object stays as it is
  Tree object;                     // as it is then; null where no rule is for it and only candidates were looked at
  std::vector<RuleOutcome> rules;  // in the order in which they are applied
  std::vector<FieldChange> changes;
  std::vector<FieldConflict> conflicts;
  // Of rules that only report: what they would do besides, and to what they would lose.
  std::vector<FieldChange> would_change;
  std::vector<FieldConflict> would_conflict;
};

// Which rules an outcome has a verdict for. Patch, changes and conflicts are the same.
enum class Verdicts : uint8_t {
  kAll,         // to explain each
  kCandidates,  // those that an index of the set finds for the object: a rule that cannot be for it costs nothing
};

// An error is about an object that cannot be read; it is to be written as it came. Pointers go into `rules`.
StatusOr<Outcome> Inject(const ObjectWrite& write, const RuleSet& rules, const Surroundings& surroundings,
                         Verdicts verdicts = Verdicts::kAll);

}  // namespace huygens::rules
