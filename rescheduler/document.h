// What /debug/reschedule says. Decision thread only.
#pragma once

#include "admin_api/reschedule_document.h"
#include "rescheduler/moves_under_way.h"
#include "rescheduler/rounds.h"
#include "rescheduler/settled_moves.h"

namespace huygens::rescheduler {

// All but what only the service knows: its mode, whether it leads, and what is in the way.
admin_api::RescheduleDocument DocumentOf(const MovesUnderWay& moves, const SettledMoves& settled, const Rounds& rounds,
                                         placement::Placement& placement);

}  // namespace huygens::rescheduler
