#include "rescheduler/totals.h"

namespace huygens::rescheduler {

using migration_api::PodMigration;

observe::MoveTotals TotalsOf(const MovesUnderWay& moves, const Mover& mover, const Rounds& rounds,
                             const cluster::State& state, Time now) {
  observe::MoveTotals totals;
  moves.ForEach([&](const UnderWay& move) { ++totals.in_flight[std::string(Name(move.object.status.phase))]; });
  for (const rescheduling::Move& move : rounds.planner().queue())
    ++totals.queue[std::string(rescheduling::Name(move.cause))];
  totals.moves = mover.counts().moves;
  totals.landings = mover.counts().landings;
  totals.evictions = mover.counts().evictions;
  totals.stages = mover.counts().stage_seconds;
  totals.limits = rounds.counts().held;
  totals.plans = rounds.counts().plans;
  totals.plan_seconds = rounds.counts().plan_seconds;
  totals.hot_nodes = static_cast<int64_t>(rounds.planner().hot_nodes());
  mover.settled().ForEach([&](const PodMigration& move) {
    const auto& known = move.status.replacement;
    if (move.status.phase != migration_api::Phase::kFailed) return;
    if (move.status.finished_at && now - *move.status.finished_at > std::chrono::hours(24)) return;
    const auto pod = known ? state.FindPod(known->uid) : nullptr;
    if (!known || (pod != nullptr && !pod->ready)) ++totals.unrecovered;
  });
  return totals;
}

int64_t NotReadyNodes(const cluster::State& state) {
  int64_t nodes = 0, not_ready = 0;
  for (cluster::NodeIndex i = 0; i < state.NodeSlots(); ++i) {
    const cluster::Node* node = state.GetNode(i);
    nodes += node == nullptr ? 0 : 1;
    not_ready += node == nullptr || node->ready ? 0 : 1;
  }
  return nodes == 0 ? 0 : not_ready * 1'000'000 / nodes;
}

}  // namespace huygens::rescheduler
