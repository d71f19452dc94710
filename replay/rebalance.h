// Carries a state of the benchmark "rebalance" out with huygens' planner (rescheduling/): machines and instances as
// nodes and pods whose use is known as curves of 98 points, a plan, and its moves one after the other, each of which the
// raw data judges (replay/machine_use.h). Time is simulated.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "replay/machine_use.h"
#include "replay/rebalance_state.h"
#include "rescheduling/limits.h"

namespace huygens::replay {

// What the benchmark's README asks for.
struct RebalanceOutcome {
  size_t moves = 0;
  size_t moved_twice = 0;      // instances
  size_t hot_left = 0;         // machines
  size_t hot_points_left = 0;  // of these
  size_t made_hot = 0;         // machines, at any moment
  size_t made_hot_end = 0;     // of these, hot at the end
  size_t rules_broken = 0;     // targets that had no room, or where a rule of who disturbs whom was broken
  size_t most_of_app = 0;      // moves of one application
  size_t rounds = 0;           // under limits: minutes in which a move began
  size_t plans = 0;            // how often the whole cluster was searched
  double plan_seconds = 0;     // of the first search
  double longest_step_seconds = 0;
  std::map<std::string, size_t> stuck;  // why machines are left hot, by the planner's reasons
};

// Plans until there is nothing left to do and carries it out: at once, or under limits, with a minute between two looks
// at the queue and a minute for each move. `state.on` is where everything is afterwards. Fails if huygens refuses it.
StatusOr<RebalanceOutcome> RunRebalance(RebalanceState& state, const rescheduling::LimitOptions* limits);

}  // namespace huygens::replay
