#include "rescheduler/rounds.h"

#include <algorithm>
#include <vector>

#include "base/steady_now.h"

namespace huygens::rescheduler {

using rescheduling::Limit;
using rescheduling::Move;

namespace {

constexpr size_t kMostAsked = 200;  // of one walk: some hundred microseconds
constexpr size_t kMostBegun = 20;
constexpr Duration kEmergency = std::chrono::minutes(1);

// What holds one move holds all.
bool HoldsAll(Limit limit) {
  return limit == Limit::kStopped || limit == Limit::kBreaker || limit == Limit::kInFlightCluster ||
         limit == Limit::kHourCluster;
}

}  // namespace

Rounds::Rounds(Environment environment, const rescheduling::Facts& facts, Duration plan_interval,
               Duration move_interval)
    : environment_(std::move(environment)),
      planner_(environment_.placement, facts),
      emergency_(environment_.placement, facts),
      plan_interval_(plan_interval),
      move_interval_(move_interval) {}

void Rounds::Tick(Time now) {
  const Duration steady = SteadyNow();
  if (stepping_) return;
  if (steady >= next_emergency_) {
    next_emergency_ = steady + kEmergency;
    emergency_.Poll(now);
    stepping_ = emergency_.Begin(now);
    if (stepping_) return StepEmergency();
  }
  if (steady >= next_plan_) {
    next_plan_ = steady + plan_interval_;
    if (std::exchange(replan_, false)) planner_.Clear();
    planner_.Begin(now);
    stepping_ = true;
    return Step();
  }
  if (!environment_.begin || steady < next_move_) return;
  next_move_ = steady + move_interval_;
  Walk(now);
}

void Rounds::Step() {
  const Duration began = SteadyNow();
  const bool more = planner_.Step(environment_.clock.Now());
  counts_.plan_seconds += std::chrono::duration<double>(SteadyNow() - began).count();
  if (more) {
    step_ = environment_.loop.After(Duration::zero(), [this] { Step(); });
    return;
  }
  stepping_ = false;
  ++counts_.plans;
  planned_at_ = environment_.clock.Now();
  held_by_.clear();
  uint64_t last = last_number_;
  for (const Move& move : planner_.queue()) {
    if (move.number > last_number_) ++counts_.selected[std::string(rescheduling::Name(move.cause))];
    last = std::max(last, move.number);
  }
  last_number_ = last;
  GoAlong();
}

void Rounds::StepEmergency() {
  const Time now = environment_.clock.Now();
  if (emergency_.Step(now)) {
    step_ = environment_.loop.After(Duration::zero(), [this] { StepEmergency(); });
    return;
  }
  stepping_ = false;
  for (const Move& move : emergency_.Take()) BeginEmergency(move, now);
}

// One that is held back is chosen anew a minute later, if it is needed still.
void Rounds::BeginEmergency(const Move& move, Time now) {
  ++counts_.selected[std::string(rescheduling::Name(move.cause))];
  environment_.log.Warn("a node uses too much right now",
                        {{"node", move.source}, {"pod", move.pod.Text()}, {"target", move.target}});
  if (!environment_.begin) return;
  const rescheduling::Candidate candidate = CandidateOf(move);
  const Limit limit = environment_.limits.Check(candidate, environment_.health(), now);
  if (limit != Limit::kNone) {
    ++counts_.held[std::string(rescheduling::Name(limit))];
    return;
  }
  const Status begun = environment_.begin(move, candidate.replicas, now);
  if (begun.ok()) ++counts_.begun;
}

rescheduling::Candidate Rounds::CandidateOf(const Move& move) const {
  rescheduling::Candidate candidate{.move = move};
  const auto pod = environment_.placement.state().FindPod(move.pod.uid);
  if (pod == nullptr) return candidate;
  const WorkloadPods::Counts counts = environment_.workloads.Of(pod->owner_uid);
  candidate.replicas = counts.replicas;
  candidate.unavailable = counts.unavailable;
  return candidate;
}

void Rounds::Walk(Time now) {
  environment_.limits.Forget(now);
  const rescheduling::Health health = environment_.health();
  std::vector<Move> queue(planner_.queue().begin(), planner_.queue().end());
  size_t asked = 0;
  const uint64_t begun = counts_.begun;
  for (const Move& move : queue) {
    if (!Try(move, health, now)) break;
    if (++asked >= kMostAsked || counts_.begun - begun >= kMostBegun) {
      GoAlong();  // the rest at the next tick
      break;
    }
  }
  if (replan_) PlanAnew();
}

bool Rounds::Try(const Move& move, const rescheduling::Health& health, Time now) {
  const rescheduling::Candidate candidate = CandidateOf(move);
  if (candidate.replicas == 0) {
    planner_.Remove(move.number);  // gone
    return true;
  }
  const Limit limit = environment_.limits.Check(candidate, health, now);
  held_by_[move.number] = limit;
  if (limit != Limit::kNone) {
    ++counts_.held[std::string(rescheduling::Name(limit))];
    return !HoldsAll(limit);
  }
  switch (planner_.Recheck(move, now)) {
    case rescheduling::Readiness::kWait:
      return true;
    case rescheduling::Readiness::kObsolete:
      planner_.Remove(move.number);
      return true;
    case rescheduling::Readiness::kReplan:
      replan_ = true;
      return false;
    case rescheduling::Readiness::kReady:
      break;
  }
  const Status begun = environment_.begin(move, candidate.replicas, now);
  if (!begun.ok()) {
    environment_.log.Info("a move could not begin", {{"pod", move.pod.Text()}, {"why", Message(begun)}});
    replan_ = true;
    planner_.Remove(move.number);
    return true;
  }
  ++counts_.begun;
  planner_.Remove(move.number);
  return true;
}

Limit Rounds::HeldBy(uint64_t number) const {
  const auto found = held_by_.find(number);
  return found == held_by_.end() ? Limit::kNone : found->second;
}

}  // namespace huygens::rescheduler
