// What the configuration means to what every service has: the server that it answers on, its metrics, and the
// API server that it asks (see
// placement_options.h for the decision core).
#pragma once

#include "base/status.h"
#include "net/client.h"
#include "net/server.h"
#include "observe/log.h"
#include "observe/metrics.h"
#include "settings/configuration.h"

namespace huygens::settings {

observe::Metrics::Options MetricsOptions(const UsageConfiguration& usage);
// Without its events.
net::ServerOptions ServerOptions(const ServerConfiguration& server);
// The API server, by the kubeconfig or else from within a pod. Warns of a token that goes to it unencrypted. Errors:
// those of kube::LoadKubeconfig and kube::InCluster.
StatusOr<net::ClientOptions> ApiServer(const KubernetesConfiguration& from, observe::Log& log);

}  // namespace huygens::settings
