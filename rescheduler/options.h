// What the section `rescheduler` of the configuration means to the rooms that follow it.
#pragma once

#include "base/status.h"
#include "moves/life.h"
#include "rescheduling/limits.h"
#include "rescheduling/never.h"
#include "settings/rescheduler.h"

namespace huygens::rescheduler {

// Fails on a freeze that cannot be read.
StatusOr<rescheduling::LimitOptions> LimitOptionsOf(const settings::ReschedulerConfiguration& configuration);
rescheduling::NeverOptions NeverOptionsOf(const settings::ReschedulerConfiguration& configuration);
moves::Patience PatienceOf(const settings::ReschedulerConfiguration& configuration);

}  // namespace huygens::rescheduler
