// Where measured use comes from, by configuration: Prometheus if `usage.prometheus` names one; else the metrics API of
// the cluster, with a history of huygens' own; else, where manifests stand in for a cluster, their UsageHistory
// objects.
#pragma once

#include <memory>
#include <span>

#include "base/resource.h"
#include "base/status.h"
#include "net/client.h"
#include "settings/configuration.h"
#include "usage/options.h"
#include "usage_sources/placed_pods.h"
#include "usage_sources/series.h"
#include "usage_sources/source.h"
#include "wire/usage_history.h"

namespace huygens::settings {

// How a Prometheus is asked: for usage_sources::PrometheusClient, and for the queries of usage_sources/queries.h.
net::ClientOptions PrometheusServer(const PrometheusConfiguration& from);
net::Headers PrometheusHeaders(const PrometheusConfiguration& from);
usage_sources::Scope PrometheusScope(const PrometheusConfiguration& from);

// Which pods that source has to know.
usage_sources::PlacedPods::Which PodsForUsage(const Configuration& configuration);

// Everything referred to outlives the source, but for `configuration`. `api_server` is set where the cluster is one.
// Opens the history file, asks nothing yet.
StatusOr<std::unique_ptr<usage_sources::Source>> MakeUsageSource(const Configuration& configuration,
                                                                 const usage::Options& usage,
                                                                 const ResourceNames& names,
                                                                 usage_sources::PlacedPods& pods,
                                                                 const net::ClientOptions* api_server,
                                                                 std::span<const wire::UsageHistory> manifests);

}  // namespace huygens::settings
