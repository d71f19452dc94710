// The reconcilers of scheduling rules in `huygens controller`, and what they share. They outlive their owner no more than
// what is referred to does. The loop's thread.
#pragma once

#include <memory>
#include <vector>

#include "net/client.h"
#include "net/event_loop.h"
#include "observe/log.h"
#include "observe/metrics.h"
#include "reconcile/leader_calls.h"
#include "reconcile/reconciler.h"
#include "settings/configuration.h"

namespace huygens::rule_keeping {

// What is referred to outlives the reconcilers.
struct Surroundings {
  const settings::Configuration& configuration;
  const net::ClientOptions& api_server;
  net::EventLoop& loop;
  observe::Log& log;
  observe::Metrics& metrics;
  const Clock& clock;
  reconcile::LeaderCalls& calls;
};

// None where controller.rules.mode is off.
void AddReconcilers(const Surroundings& surroundings, std::vector<std::unique_ptr<reconcile::Reconciler>>& reconcilers);

}  // namespace huygens::rule_keeping
