// The decision core of a service that decides where pods go, and what those need who tell operators how it is doing.
// Everything in it lives as long as the service and is touched by the decision thread alone, except where its own
// header says otherwise.
#pragma once

#include <functional>
#include <string>

#include "base/time.h"
#include "kube/event_recorder.h"
#include "observe/log.h"
#include "observe/metrics.h"
#include "placement/placement.h"

namespace huygens::admin {

struct CoreContext {
  placement::Placement& placement;
  const Clock& clock;
  observe::Log& log;
  observe::Metrics& metrics;
  // Why no decision can be made yet ("waiting for the first list of pods"); empty when ready.
  std::function<std::string()> not_ready;
  // Says it on the pod, with an Event: returns at once.
  std::function<void(const cluster::Pod& pod, const kube::PodWarning& warning)> warn;
};

}  // namespace huygens::admin
