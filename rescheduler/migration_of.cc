#include <algorithm>

#include "rescheduler/mover.h"

namespace huygens::rescheduler {

using migration_api::Phase;
using rescheduling::Landed;

namespace {

rescheduling::Outcome OutcomeOf(Phase phase) {
  switch (phase) {
    case Phase::kSucceeded:
      return rescheduling::Outcome::kSucceeded;
    case Phase::kFailed:
      return rescheduling::Outcome::kFailed;
    case Phase::kAbandoned:
      return rescheduling::Outcome::kAbandoned;
    default:
      return rescheduling::Outcome::kUnderWay;
  }
}

Landed LandedOn(const migration_api::PodMigration& object) {
  const auto& replacement = object.status.replacement;
  if (!replacement || replacement->node.empty()) return Landed::kNowhere;
  if (replacement->node == object.spec.target) return Landed::kTarget;
  return replacement->node == object.spec.source ? Landed::kSource : Landed::kElsewhere;
}

}  // namespace

rescheduling::Migration MigrationOf(const migration_api::PodMigration& object) {
  const migration_api::Spec& spec = object.spec;
  const migration_api::State& status = object.status;
  rescheduling::Move move{.pod = {object.namespace_name, spec.pod.name, spec.pod.uid},
                          .owner = {spec.owner.kind, spec.owner.name},
                          .workload = spec.workload,
                          .group = spec.group,
                          .source = spec.source,
                          .target = spec.target,
                          .clears = spec.why};
  for (rescheduling::Cause cause : rescheduling::kCauses) {
    if (rescheduling::Name(cause) == spec.cause) move.cause = cause;
  }
  return {.uid = object.name,
          .move = std::move(move),
          .replicas = static_cast<size_t>(std::max<int64_t>(spec.replicas, 0)),
          .created = object.created.value_or(status.since.value_or(Time())),
          .evicted = status.evicted_at,
          .bound = status.bound_at,
          .finished = status.finished_at,
          .outcome = OutcomeOf(status.phase),
          .reason = status.reason,
          .landed = LandedOn(object),
          .attempts = static_cast<int>(std::clamp<int64_t>(status.attempts, 1, 1000))};
}

}  // namespace huygens::rescheduler
