// What the metrics of moves say. Decision thread only.
#pragma once

#include "observe/move_metrics.h"
#include "rescheduler/mover.h"
#include "rescheduler/moves_under_way.h"
#include "rescheduler/rounds.h"

namespace huygens::rescheduler {

// All but what only the service knows: whether it leads, and whether too much failed.
observe::MoveTotals TotalsOf(const MovesUnderWay& moves, const Mover& mover, const Rounds& rounds,
                             const cluster::State& state, Time now);

// The share of nodes that are not Ready, in millionths.
int64_t NotReadyNodes(const cluster::State& state);

}  // namespace huygens::rescheduler
