// Whether a planned move is still good, just before it is carried out.
#include <algorithm>

#include "rescheduling/search.h"

namespace huygens::rescheduling {

namespace {

// Whether the node is above a ceiling now, even once those that are being moved away have gone.
bool IsHot(const placement::Placement& placement, const Facts& facts, NodeIndex node, Time now) {
  const usage::Account& usage = placement.usage();
  const usage::ResourceMask left_out = usage.SteppingAside(now) | usage.ShortHistory();
  PlannedUse use(usage);
  use.ResetOne(now, left_out, node);
  if (!use.Fresh(node)) return false;
  for (const cluster::PlacedPod* placed : placement.state().PodsOn(node)) {
    if (!facts.Leaving(*placed->pod)) continue;
    const Leaver leaver(placement, placed->pod, node);
    if (leaver.here.resources() > 0) use.Change(node, leaver.here, -1);
  }
  return AboveCeiling(use, node).has_value();
}

}  // namespace

bool Planner::Search::StillViolates(const Move& move, const cluster::PlacedPod& placed, Time now) {
  switch (move.cause) {
    case Cause::kCeiling:
      return IsHot(placement_, facts_, placed.node, now);
    case Cause::kZones:
      return placement_.OvercommittedZones(placed.node, now) > 0 || placed.zones.size() > 1;
    case Cause::kModel:
      return IsOfOtherModel(placement_, *placed.pod, placed.node);
    case Cause::kRule:
      return rules_.contains(move.pod.uid);
    case Cause::kEmergency:
      break;
  }
  return true;
}

Readiness Planner::Search::Recheck(const Move& move, Time now) {
  const cluster::State& state = placement_.state();
  const cluster::PlacedPod* placed = state.FindPlaced(move.pod.uid);
  if (placed == nullptr || state.NodeName(placed->node) != move.source) return Readiness::kObsolete;
  const cluster::Pod& pod = *placed->pod;
  if (facts_.Leaving(pod) || !facts_.Unmovable(pod).empty() || !StillViolates(move, *placed, now)) {
    return Readiness::kObsolete;
  }
  const auto target = state.FindNode(move.target);
  if (!target || !facts_.IsOpen(*target)) return Readiness::kReplan;
  const Leaver leaver(placement_, placed->pod, placed->node);
  const std::optional<int> max_zones =
      move.cause == Cause::kZones && placement_.OvercommittedZones(placed->node, now) == 0
          ? std::optional(static_cast<int>(placed->zones.size()) - 1)
          : std::nullopt;
  PlannedUse use(placement_.usage());
  const PlannedPods nobody;
  TargetSearch search(placement_, facts_, use, nobody);
  if (search.Takes({.pod = placed->pod, .stand_in = leaver.stand_in, .source = placed->node, .max_zones = max_zones},
                   *target, now)) {
    return Readiness::kReady;
  }
  // Who is being moved away from there leaves room soon.
  const auto leaves = [&](const cluster::PlacedPod* each) { return facts_.Leaving(*each->pod); };
  return std::ranges::any_of(state.PodsOn(*target), leaves) ? Readiness::kWait : Readiness::kReplan;
}

}  // namespace huygens::rescheduling
