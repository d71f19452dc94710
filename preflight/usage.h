// Whether real use is measured where the configuration looks for it: what a source answers, asked with huygens' own
// queries, and what that means. Gathering blocks; judging is pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/time.h"
#include "extender/configuration.h"
#include "net/client.h"
#include "placement/placement.h"
#include "preflight/finding.h"
#include "wire/metrics_api.h"

namespace huygens::preflight {

// What Prometheus has of one resource now.
struct ResourceSeries {
  std::string name;
  bool recorded_workloads = false, recorded_nodes = false;  // by the rules of config/prometheus
  bool own_queries = false;                                 // podQuery or nodeQuery of the configuration
  StatusOr<size_t> workloads = 0;                           // series of pods, or of what owns them
  StatusOr<std::vector<std::string>> nodes;                 // names of nodes with use beyond their pods
  StatusOr<double> covered = 0;                             // share of the window with any workload
  // Of the usual series, where they are asked for.
  std::string metric;
  StatusOr<size_t> all = 0, of_pods = 0, of_roots = 0;  // series of the metric; with pod and container; with id="/"
  StatusOr<size_t> scraped = 1;                         // how often the same container was scraped
};
struct PrometheusSeries {
  std::string url;
  Status reachable;
  StatusOr<size_t> owners = 0;  // series of kube-state-metrics about pods' owners
  std::vector<ResourceSeries> resources;
};
PrometheusSeries AskPrometheus(const extender::Configuration& configuration, Time now);
Findings JudgePrometheus(const PrometheusSeries& series, const placement::Placement& placement,
                         const extender::Configuration& configuration);

struct MetricsAnswers {
  StatusOr<std::vector<wire::ResourceMetrics>> pods, nodes;
};
MetricsAnswers AskMetricsApi(const net::ClientOptions& api_server, const ResourceNames& names);
Findings JudgeMetrics(const MetricsAnswers& answers, const placement::Placement& placement,
                      const extender::Configuration& configuration, Time now);

}  // namespace huygens::preflight
