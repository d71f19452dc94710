// The whole of `huygens webhook` behind one call: what it knows of the cluster, the server that API servers post
// reviews to, and the admin server. From an API server it follows groups and workloads and writes charges down; from a
// directory of manifests it answers by what is there at start, and writes nothing: for trying out what would be refused.
// Everything but blocking calls runs on the thread of `loop`.
#pragma once

#include <memory>

#include "admin/process.h"
#include "base/status.h"
#include "base/time.h"
#include "net/event_loop.h"
#include "observe/log.h"
#include "settings/configuration.h"

namespace huygens::webhook {

// `loop`, `log` and `clock` must outlive it. Errors say which address, file or setting cannot be used.
StatusOr<std::unique_ptr<admin::RunningService>> StartWebhook(const settings::Configuration& configuration,
                                                              net::EventLoop& loop, observe::Log& log,
                                                              const Clock& clock);

}  // namespace huygens::webhook
