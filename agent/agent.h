// The whole of `huygens-agent run` behind one call: what is known of the node, the parts that work with it, and the
// admin server beside them.
#pragma once

#include <memory>

#include "admin/process.h"
#include "agent/configuration.h"
#include "base/status.h"
#include "base/time.h"
#include "kube/kubeconfig.h"
#include "net/event_loop.h"
#include "observe/log.h"

namespace huygens::agent {

// `loop`, `log` and `clock` must outlive it. Errors say which address, file or setting cannot be used.
StatusOr<std::unique_ptr<admin::RunningService>> StartAgent(
    const AgentConfiguration& configuration, net::EventLoop& loop, observe::Log& log, const Clock& clock,
    const kube::Environment& environment = kube::ProcessEnvironment);

}  // namespace huygens::agent
