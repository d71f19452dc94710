// Whether kube-scheduler's configuration fits that of huygens. Pure.
#pragma once

#include "preflight/finding.h"
#include "preflight/scheduler_configuration.h"
#include "settings/configuration.h"

namespace huygens::preflight {

Findings JudgeScheduler(const SchedulerConfiguration& scheduler, const settings::Configuration& configuration);

// The extender that is meant to be huygens: the one at its port, else the only one; null if there is none.
const SchedulerExtender* OursAmong(const SchedulerConfiguration& scheduler,
                                   const settings::Configuration& configuration);

}  // namespace huygens::preflight
