// Where measured use comes from, by configuration: Prometheus if `usage.prometheus` names one; else the metrics API of
// the cluster, with a history of huygens' own; else, where manifests stand in for a cluster, their UsageHistory
// objects.
#pragma once

#include <memory>
#include <span>

#include "base/resource.h"
#include "base/status.h"
#include "extender/configuration.h"
#include "net/client.h"
#include "prom/placed_pods.h"
#include "prom/series.h"
#include "prom/source.h"
#include "usage/options.h"
#include "wire/usage_history.h"

namespace huygens::extender {

// How a Prometheus is asked: for prom::PrometheusClient, and for the queries of prom/queries.h.
net::ClientOptions PrometheusServer(const PrometheusConfiguration& from);
net::Headers PrometheusHeaders(const PrometheusConfiguration& from);
prom::Scope PrometheusScope(const PrometheusConfiguration& from);

// Which pods that source has to know.
prom::PlacedPods::Which PodsForUsage(const Configuration& configuration);

// Everything referred to outlives the source, but for `configuration`. `api_server` is set where the cluster is one.
// Opens the history file, asks nothing yet.
StatusOr<std::unique_ptr<prom::Source>> MakeUsageSource(const Configuration& configuration, const usage::Options& usage,
                                                        const ResourceNames& names, prom::PlacedPods& pods,
                                                        const net::ClientOptions* api_server,
                                                        std::span<const wire::UsageHistory> manifests);

}  // namespace huygens::extender
