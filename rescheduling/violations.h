// Who does not stand well: nodes above a ceiling, nodes whose zones hold more than they give, and single pods. Looked
// for node by node. Decision thread only.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/text.h"
#include "rescheduling/draft.h"

namespace huygens::rescheduling {

// A node above a ceiling, or with zones that are.
struct HotNode {
  NodeIndex node = 0;
  double above = 0;  // the highest share of use above its ceiling, of the ceiling
};

// A pod that should leave whatever its node uses.
struct Misplaced {
  std::shared_ptr<const cluster::Pod> pod;
  NodeIndex node = 0;
  Cause cause = Cause::kRule;
  std::string what;              // for people
  std::optional<int> max_zones;  // over so many it is to be spread elsewhere
};

struct Violations {
  std::vector<HotNode> hot;
  std::vector<NodeIndex> zones;  // more is used of them than they give
  std::vector<Misplaced> pods;
};

// Whether the node is above a ceiling by `use`, and by how much; nothing: it is not.
std::optional<double> AboveCeiling(const PlannedUse& use, NodeIndex node);
// Whether the node is of another model than the pod's labels name, where the check of budgets is enforced.
bool IsOfOtherModel(const placement::Placement& placement, const cluster::Pod& pod, NodeIndex node);

// Adds what is wrong on one node. `rules`: by UID of the pod, what it breaks. Pods that are being moved away count as
// gone, also in `use`.
void FindViolations(placement::Placement& placement, const Facts& facts, const TextMap<std::string>& rules,
                    bool gather_zones, NodeIndex node, Time now, PlannedUse& use, Violations& found);

}  // namespace huygens::rescheduling
