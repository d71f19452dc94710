// The whole of `huygens extender` behind one call: the decision core, the cluster it follows, the server of the verbs
// and the admin server, built from the configuration. The decision thread is the one that runs `loop`; everything is
// done on it.
#pragma once

#include <memory>

#include "admin/process.h"
#include "base/status.h"
#include "base/time.h"
#include "net/event_loop.h"
#include "observe/log.h"
#include "settings/configuration.h"

namespace huygens::extender {

// Starts to follow the cluster and to serve; it is ready (see /readyz) once every kind of object is synced. `loop`,
// `log` and `clock` must outlive it. Errors say which address, file or credential cannot be used.
StatusOr<std::unique_ptr<admin::RunningService>> StartExtender(const settings::Configuration& configuration,
                                                               net::EventLoop& loop, observe::Log& log,
                                                               const Clock& clock);

}  // namespace huygens::extender
