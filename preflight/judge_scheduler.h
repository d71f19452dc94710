// Whether kube-scheduler's configuration fits that of huygens. Pure.
#pragma once

#include "preflight/finding.h"
#include "settings/configuration.h"
#include "wire/scheduler_configuration.h"

namespace huygens::preflight {

Findings JudgeScheduler(const wire::SchedulerConfiguration& scheduler, const settings::Configuration& configuration);

// The extender that is meant to be huygens: the one at its port, else the only one; null if there is none.
const wire::SchedulerExtender* OursAmong(const wire::SchedulerConfiguration& scheduler,
                                         const settings::Configuration& configuration);

}  // namespace huygens::preflight
