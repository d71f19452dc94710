// What the configuration means to the parts of huygens that are not the decision core (see placement_options.h for
// that one).
#pragma once

#include <string>

#include "extender/kubernetes_backend.h"
#include "net/server.h"
#include "observe/metrics.h"
#include "settings/configuration.h"

namespace huygens::extender {

// Tells two instances on one host apart, also after a restart with the same process id: "HOST_xxxxxxxx".
std::string Identity();

observe::Metrics::Options MetricsOptions(const settings::UsageConfiguration& usage);
// Of the server of the verbs; without its events.
net::ServerOptions ServerOptions(const settings::ServerConfiguration& server);
// Without the API server.
KubernetesOptions BackendOptions(const settings::BindConfiguration& bind, std::string identity);

}  // namespace huygens::extender
