// The rounds of planning and of beginning moves. A plan is made every few minutes, in small steps between requests;
// along it moves begin, in its order, as far as limits allow: who has to wait waits, and those behind go on where other
// limits count. It is gone along each minute, and whenever a move has ended. Each minute it is also looked for nodes that
// use too much right now, and who leaves them goes before all others. Decision thread only.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "net/event_loop.h"
#include "observe/log.h"
#include "rescheduler/mover.h"
#include "rescheduler/workload_pods.h"
#include "rescheduling/emergency.h"
#include "rescheduling/limits.h"
#include "rescheduling/planner.h"

namespace huygens::rescheduler {

class Rounds {
 public:
  struct Environment {
    placement::Placement& placement;
    net::EventLoop& loop;
    const Clock& clock;
    observe::Log& log;
    rescheduling::Limits& limits;
    const WorkloadPods& workloads;
    const SettledMoves& settled;
    std::function<rescheduling::Health()> health;
    // Begins a move; null: none begins, the plan is for people.
    std::function<Status(const rescheduling::Move&, size_t replicas, Time now)> begin;
  };
  struct Counts {
    uint64_t plans = 0, begun = 0;
    double plan_seconds = 0;                                // of all plans, steps alone
    std::map<std::string, uint64_t, std::less<>> held;      // by limit: how often it held a move back
    std::map<std::string, uint64_t, std::less<>> selected;  // by cause: moves that came into a plan
  };

  Rounds(Environment environment, const rescheduling::Facts& facts, Duration plan_interval, Duration move_interval);

  // What is due, at most so much that nobody notices. Called several times a second while moves may begin.
  void Tick(Time now);
  // A move has ended: others may begin.
  void GoAlong() { next_move_ = Duration::zero(); }
  // Plans anew at the next tick.
  void PlanAnew() { next_plan_ = Duration::zero(); }

  const rescheduling::Planner& planner() const { return planner_; }
  std::optional<Time> planned_at() const { return planned_at_; }
  const Counts& counts() const { return counts_; }
  // What held each move of the plan back when it was asked last, by its number.
  rescheduling::Limit HeldBy(uint64_t number) const;

 private:
  void Step();
  void StepEmergency();
  void Walk(Time now);
  void BeginEmergency(const rescheduling::Move& move, Time now);
  // Whether those behind it may be asked.
  bool Try(const rescheduling::Move& move, const rescheduling::Health& health, Time now);
  rescheduling::Candidate CandidateOf(const rescheduling::Move& move) const;

  const Environment environment_;
  rescheduling::Planner planner_;
  rescheduling::Emergency emergency_;
  const Duration plan_interval_, move_interval_;
  Duration next_plan_{}, next_move_{}, next_emergency_{};  // by the steady clock
  bool stepping_ = false;
  bool replan_ = false;
  std::optional<Time> planned_at_;
  uint64_t last_number_ = 0;  // of the moves that were counted
  std::map<uint64_t, rescheduling::Limit> held_by_;
  Counts counts_;
  net::Timer step_;
};

}  // namespace huygens::rescheduler
