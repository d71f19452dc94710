// Whether an increase fits into a group's budget, key by key, and the sentence that says why not. The order of causes
// is ResourceQuota's (k8s.io/apiserver/pkg/admission/plugin/resourcequota CheckRequest): values that a container must
// state, keys whose use is not known, then the amounts. Only keys that grow are looked at, so that a group over its
// budget can still shrink. Pure; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "quota/amounts.h"

namespace huygens::quota {

enum class Outcome : uint8_t {
  kFits,
  kNoGroup,        // the label names a group that does not exist
  kTerminating,    // the group is being deleted
  kFrozen,         // the group cannot be used: unreadable, without its parent, in a cycle, too deep
  kUnknownStatus,  // nobody has said yet how much of a key is used
  kMustSpecify,    // a container does not say how much it takes of a key
  kNegative,       // it would give instead of take
  kCashExhausted,  // the hours are spent
  kExceeded,
  kAncestorOver,  // a group above it has given away more than it has
  kUnknownClaim,  // nobody knows (yet) which devices it would take by a claim
  kUnnamedModel,  // the node's model is one of the budget's, the pod's labels do not name it, and such are refused
};

struct Shortage {
  std::string key;
  Quantity requested;
  Quantity used;
  Quantity hard;
};

struct Verdict {
  Outcome outcome = Outcome::kFits;
  std::vector<Shortage> shortages;  // of kExceeded, kCashExhausted and kAncestorOver, ordered by key
  std::string detail;               // of the others; of kAncestorOver the name of that group

  bool fits() const { return outcome == Outcome::kFits; }
};

// What is used of a key of the budget; null if nobody has counted it yet.
using UsedOf = absl::FunctionRef<const Quantity*(std::string_view key)>;

// A budget of hours (cash/KEY) refuses whatever adds to KEY once it is used up, that is at equality; below that any
// amount passes. A key that no pod can be charged to, a misspelt one, limits nothing, whatever is known of it.
Verdict CheckIncrease(const Amounts& hard, UsedOf used, const Amounts& increase);

// What the increase adds to the key of a budget, or to the key whose hours it counts; null if nothing.
const Quantity* Grown(const Amounts& increase, std::string_view key);

// "quota bizrq/team-a: limits.cpu.A4 used 4 of 4, requested 2"; every key that lacks is named.
std::string Text(const Verdict& verdict, std::string_view group);

}  // namespace huygens::quota
