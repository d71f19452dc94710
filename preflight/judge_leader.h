// Whether an instance of the kube-scheduler that asks huygens leads. Everything can be Ready and no pod be scheduled:
// that is seen by its Lease alone. Pure.
#pragma once

#include "base/status.h"
#include "base/time.h"
#include "preflight/finding.h"
#include "preflight/scheduler_configuration.h"
#include "wire/lease.h"

namespace huygens::preflight {

// `lease`: NotFound where there is none. A renewal that `now` makes a minute late, or less, is put down to two clocks.
Findings JudgeLeader(const SchedulerConfiguration::LeaderElection& election, const StatusOr<wire::Lease>& lease,
                     Time now);

}  // namespace huygens::preflight
