#include "rule_policies/refusal.h"

#include <algorithm>

#include "base/text.h"

namespace huygens::rule_policies {

namespace {

using rules::SchedulingRule;
using rules::Tree;

bool ShareKind(const SchedulingRule& a, const SchedulingRule& b) {
  return std::ranges::any_of(a.selection.kinds, [&](const std::string& kind) {
    return std::ranges::find(b.selection.kinds, kind) != b.selection.kinds.end();
  });
}

bool Meet(const std::vector<Tree>& mine, const std::vector<Tree>& theirs,
          std::initializer_list<std::string_view> identity) {
  return std::ranges::any_of(mine, [&](const Tree& one) {
    return std::ranges::any_of(theirs, [&](const Tree& other) {
      return one != other && std::ranges::all_of(identity, [&](std::string_view member) {
               return one.TextOf(member) == other.TextOf(member);
             });
    });
  });
}

// Elements of lists are not given back: whoever comes first has them, and the API server comes before the webhook.
std::string_view ContendedList(const SchedulingRule& rule, const SchedulingRule& earlier) {
  if (Meet(rule.injection.tolerations, earlier.injection.tolerations, {"key", "value", "effect"})) {
    return "tolerations";
  }
  if (Meet(rule.injection.topology_spread, earlier.injection.topology_spread, {"topologyKey", "whenUnsatisfiable"})) {
    return "topologySpreadConstraints";
  }
  return {};
}

}  // namespace

std::string RefusalReason(const SchedulingRule& rule, std::span<const SchedulingRule* const> earlier) {
  if (!rule.defect.empty()) return Concat("the rule cannot be used: ", rule.defect);
  if (rule.mode == rules::Mode::kReport) return "mode: report changes nothing";
  const rules::Injection& injection = rule.injection;
  if (!injection.requests.empty() || !injection.limits.empty()) {
    return "inject.resources: CEL has no exact arithmetic of quantities";
  }
  if (!injection.allocatable.empty()) {
    return "inject.allocatable: is of the status of nodes, which kubelet writes again and again, and CEL has no exact "
           "arithmetic of quantities";
  }
  if (rule.override_existing && !injection.annotations.empty()) {
    return "inject.annotations with onConflict: override: CEL cannot record what any annotation said before";
  }
  if (rule.rollout.per_ten_thousand < 10'000) return "rollout.percent: CEL has no hash";
  if (rule.window.from || rule.window.until) return "window: CEL has no clock";
  for (const SchedulingRule* other : earlier) {
    const std::string_view list = ShareKind(rule, *other) ? ContendedList(rule, *other) : std::string_view();
    if (!list.empty()) {
      return Concat("inject.", list, ": the rule ", other->name,
                    ", which comes first and is not compiled, sets the same otherwise");
    }
  }
  return {};
}

}  // namespace huygens::rule_policies
