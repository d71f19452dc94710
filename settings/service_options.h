// What the configuration means to what every service has: the server that it answers on, and its metrics (see
// placement_options.h for the decision core).
#pragma once

#include "net/server.h"
#include "observe/metrics.h"
#include "settings/configuration.h"

namespace huygens::settings {

observe::Metrics::Options MetricsOptions(const UsageConfiguration& usage);
// Without its events.
net::ServerOptions ServerOptions(const ServerConfiguration& server);

}  // namespace huygens::settings
