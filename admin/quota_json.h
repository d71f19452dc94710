// Budgets of business groups as /debug/quotas shows them (docs/quota.md): JSON appended to a string. Amounts are
// Kubernetes quantities ("4", "500m", "64Gi"), those of cash keys in hours. Decision thread only.
#pragma once

#include <string>
#include <string_view>

#include "base/quantity.h"
#include "placement/placement.h"
#include "quota/tree.h"

namespace huygens::admin {

// "ok", "terminating", "frozen" or "missing" (only its children or pods name it).
std::string_view StateOf(const quota::Verdict& standing);

// "placement", "admission" or "off".
std::string_view EnforcementOf(const placement::Placement& placement);

// The nearest number; for people and gauges only, never for a decision.
double Approximate(const Quantity& quantity);

// What of a key's use was handed to children.
Quantity HeldByChildren(const quota::Group& group, std::string_view key);

// One group, which the tree has:
//   {"name":"ranking","parent":"search","path":"org/search/ranking","state":"ok","why"?:"its parent x does not exist",
//    "children":["a"],"keys":[{"key":"limits.cpu","hard"?:"10","unknown"?:true,"unlimited"?:true,"used"?:"6",
//                              "self"?:"4","children":"2","remaining"?:"4","share"?:0.6}],
//    "overAbove"?:[{"group":"org","keys":["limits.cpu"]}]}
// Keys of its budget and of its parent's, and of what is used without being limited (no `hard`, `remaining`, `share`),
// ordered. `unknown`: no pod is ever charged to the key; perhaps it is misspelt. `unlimited`: its parent limits the
// key, the group itself does not (nor its twin, quota/keys.h), and so its pods have it for nothing. Hours that nobody
// has counted yet have no `used`, `self`, `remaining` and `share`. `remaining` is below 0 where more is used than the
// budget gives. `overAbove`: the groups above it, its parent first, that have given away more of these keys than they
// have; pods that take any of them are refused.
void AppendGroup(std::string& out, const quota::Tree& tree, std::string_view name);

}  // namespace huygens::admin
