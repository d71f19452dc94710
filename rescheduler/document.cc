#include "rescheduler/document.h"

#include <algorithm>

namespace huygens::rescheduler {

using migration_api::PodMigration;

namespace {

constexpr size_t kMostPlanned = 1000, kMostEnded = 100, kMostStuck = 1000;

admin_api::MoveDocument MoveOf(const PodMigration& object) {
  admin_api::MoveDocument move{.pod = Concat(object.namespace_name, "/", object.spec.pod.name),
                               .workload = object.spec.workload,
                               .source = object.spec.source,
                               .target = object.spec.target,
                               .cause = object.spec.cause,
                               .phase = std::string(Name(object.status.phase)),
                               .reason = object.status.reason,
                               .message = object.status.message,
                               .since = object.status.since,
                               .next_try = object.status.next_try,
                               .attempts = object.status.attempts};
  if (const auto& replacement = object.status.replacement) {
    move.replacement = replacement->name;
    move.node = replacement->node;
  }
  return move;
}

}  // namespace

admin_api::RescheduleDocument DocumentOf(const MovesUnderWay& moves, const SettledMoves& settled, const Rounds& rounds,
                                         placement::Placement& placement) {
  admin_api::RescheduleDocument document;
  const rescheduling::Planner& planner = rounds.planner();
  document.planning = planner.planning();
  document.planned_at = rounds.planned_at();
  document.hot_nodes = static_cast<int64_t>(planner.hot_nodes());
  for (const rescheduling::Move& move : planner.queue()) {
    if (document.plan.size() == kMostPlanned) break;
    const rescheduling::Limit held = rounds.HeldBy(move.number);
    document.plan.push_back(
        {.pod = move.pod.Text(),
         .workload = move.workload,
         .source = move.source,
         .target = move.target,
         .cause = std::string(rescheduling::Name(move.cause)),
         .why = move.clears,
         .waits_for = held == rescheduling::Limit::kNone ? std::string() : std::string(rescheduling::Name(held))});
  }
  moves.ForEach([&](const UnderWay& move) {
    document.moves.push_back(MoveOf(move.object));
    document.moves.back().holds = placement.moves().Holds(move.StandInUid());
  });
  std::vector<const PodMigration*> ended;
  settled.ForEach([&](const PodMigration& move) { ended.push_back(&move); });
  std::ranges::sort(ended, [](const PodMigration* a, const PodMigration* b) {
    return std::pair(b->status.finished_at, b->name) < std::pair(a->status.finished_at, a->name);
  });
  if (ended.size() > kMostEnded) ended.resize(kMostEnded);
  document.ended.reserve(ended.size());
  for (const PodMigration* move : ended) document.ended.push_back(MoveOf(*move));
  for (const rescheduling::Stuck& each : planner.stuck()) {
    if (document.stuck.size() == kMostStuck) break;
    document.stuck.push_back({each.node, each.pod.name.empty() ? std::string() : each.pod.Text(),
                              std::string(rescheduling::Name(each.cause)), each.reason});
  }
  for (const auto& [limit, count] : rounds.counts().held)
    document.limits.emplace_back(limit, static_cast<int64_t>(count));
  return document;
}

}  // namespace huygens::rescheduler
