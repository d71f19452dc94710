#include "rescheduling/violations.h"

#include <algorithm>

namespace huygens::rescheduling {

std::optional<double> AboveCeiling(const PlannedUse& use, NodeIndex node) {
  std::optional<double> most;
  for (size_t r = 0; r < use.resources(); ++r) {
    const std::optional<int64_t> limit = use.Limit(node, r);
    if (!limit || use.Peak(node, r) <= *limit) continue;
    const double above =
        static_cast<double>(use.Peak(node, r) - *limit) / static_cast<double>(std::max<int64_t>(*limit, 1));
    most = std::max(most.value_or(0), above);
  }
  return most;
}

bool IsOfOtherModel(const placement::Placement& placement, const cluster::Pod& pod, NodeIndex node) {
  if (!pod.quota || placement.quota() == nullptr || !placement.Enforces(&policy::Needs::budgets)) return false;
  const quota::WantedModels wanted = placement.quota()->models().Wanted(*pod.quota);
  return wanted.Any() && !wanted.Accept(node);
}

void FindViolations(placement::Placement& placement, const Facts& facts, const TextMap<std::string>& rules,
                    bool gather_zones, NodeIndex node, Time now, PlannedUse& use, Violations& found) {
  const cluster::State& state = placement.state();
  if (state.GetNode(node) == nullptr || !facts.MayLeave(node)) return;
  const bool fresh = use.resources() > 0 && use.Fresh(node);
  if (fresh && AboveCeiling(use, node)) {
    for (const cluster::PlacedPod* placed : state.PodsOn(node)) {
      if (!facts.Leaving(*placed->pod)) continue;
      const Leaver leaver(placement, placed->pod, node);
      if (leaver.here.resources() > 0) use.Change(node, leaver.here, -1);
    }
    if (const auto above = AboveCeiling(use, node)) found.hot.push_back({node, *above});
  }
  const bool zones_count = placement.Enforces(&policy::Needs::zones);
  if (zones_count && placement.OvercommittedZones(node, now) > 0) found.zones.push_back(node);
  for (const cluster::PlacedPod* placed : state.PodsOn(node)) {
    const cluster::Pod& pod = *placed->pod;
    const auto rule = rules.empty() ? rules.end() : rules.find(std::string_view(pod.uid));
    const bool broken = rule != rules.end();
    const bool other_model = !broken && IsOfOtherModel(placement, pod, node);
    const bool spread = zones_count && gather_zones && placed->zones.size() > 1;
    if (!broken && !other_model && !spread) continue;
    if (facts.Leaving(pod)) continue;
    if (broken) {
      found.pods.push_back({placed->pod, node, Cause::kRule, rule->second, std::nullopt});
    } else if (other_model) {
      found.pods.push_back(
          {placed->pod, node, Cause::kModel, "node of another model than its quota labels name", std::nullopt});
    } else {
      const int zones = static_cast<int>(placed->zones.size());
      found.pods.push_back(
          {placed->pod, node, Cause::kZones, Concat("spread over ", std::to_string(zones), " zones"), zones - 1});
    }
  }
}

}  // namespace huygens::rescheduling
