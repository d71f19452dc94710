// Whether real use is measured where the configuration looks for it: what a source answers, asked with huygens' own
// queries, and what that means. Gathering blocks; judging is pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/time.h"
#include "net/client.h"
#include "placement/placement.h"
#include "preflight/finding.h"
#include "settings/configuration.h"
#include "usage_sources/series.h"
#include "wire/metrics_api.h"

namespace huygens::preflight {

// How far back Prometheus knows the workloads of now.
struct WorkloadHistory {
  size_t workloads = 0;
  std::vector<std::string> young;  // not yet there usage.minHistory ago; in order
};

// Nodes that a source measures as a whole and no better one does.
struct WholeNodes {
  usage_sources::NodeSource source = usage_sources::NodeSource::kCadvisor;
  std::vector<std::string> nodes;
};

// What Prometheus has of one resource now.
struct ResourceSeries {
  std::string name;
  bool recorded_workloads = false, recorded_nodes = false;  // by the rules of config/prometheus
  bool own_pods = false, own_nodes = false;                 // podQuery, nodeQuery of the configuration
  StatusOr<size_t> workloads = 0;                           // series of pods, or of what owns them
  StatusOr<WorkloadHistory> history = WorkloadHistory();
  StatusOr<double> covered = 0;  // share of the window with any workload
  // Names of nodes with use beyond their pods.
  StatusOr<std::vector<std::string>> nodes = std::vector<std::string>();
  // Of `nodes`, by the usual series, the best first; where `nodes` is empty, what these series name instead.
  StatusOr<std::vector<WholeNodes>> sources = std::vector<WholeNodes>();
  // Of the usual series of pods, where they are asked for.
  std::string metric;
  StatusOr<size_t> all = 0, of_pods = 0;  // series of the metric; with pod and container
  StatusOr<size_t> unmatched = 0;         // where there are none: series of it without usage.prometheus.matchers
  StatusOr<size_t> scraped = 1;           // how often the same container was scraped
};
struct PrometheusSeries {
  std::string url;
  bool elsewhere = false;  // asked from another machine than huygens will run on
  Status reachable;
  StatusOr<size_t> owners = 0;  // series of kube-state-metrics about pods' owners, or what the rules made of them
  std::vector<ResourceSeries> resources;
  std::vector<std::string> warnings;  // of the answers: they may be partial
};
PrometheusSeries AskPrometheus(const settings::Configuration& configuration, Time now);
Findings JudgePrometheus(const PrometheusSeries& series, const placement::Placement& placement,
                         const settings::Configuration& configuration);

struct MetricsAnswers {
  StatusOr<std::vector<wire::ResourceMetrics>> pods, nodes;
};
MetricsAnswers AskMetricsApi(const net::ClientOptions& api_server, const ResourceNames& names);
Findings JudgeMetrics(const MetricsAnswers& answers, const placement::Placement& placement,
                      const settings::Configuration& configuration, Time now);

}  // namespace huygens::preflight
