// The whole of `huygens controller` behind one call: what it knows of the cluster, whether it leads, the reconcilers
// with their queues, and the admin server. Every instance follows the cluster; only the one that holds the Lease writes.
// Everything but blocking calls runs on the thread of `loop`.
#pragma once

#include <memory>

#include "admin/process.h"
#include "base/status.h"
#include "base/time.h"
#include "net/event_loop.h"
#include "observe/log.h"
#include "settings/configuration.h"

namespace huygens::controller {

// `loop`, `log` and `clock` must outlive it. Errors say which address, file or setting cannot be used.
StatusOr<std::unique_ptr<admin::RunningService>> StartController(const settings::Configuration& configuration,
                                                                 net::EventLoop& loop, observe::Log& log,
                                                                 const Clock& clock);

}  // namespace huygens::controller
