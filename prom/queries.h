// The PromQL of huygens: for one resource, what its pods use by workload, and what nodes use beyond their pods; from
// the series that the recording rules write (config/prometheus/rules.yaml holds the same expressions), or where there
// are none from the usual series of kubelet's cAdvisor and of kube-state-metrics. Pure functions; any thread.
#pragma once

#include <string>
#include <string_view>

#include "base/time.h"
#include "prom/subject.h"
#include "usage/options.h"
#include "wire/prometheus.h"

namespace huygens::prom {

// An operator's own expressions for one resource; empty: what huygens has for it. In cores, bytes, operations a second,
// or whatever the resource is counted in, at one moment.
struct ResourceQueries {
  std::string pods;   // labels namespace, pod, node; owner_kind and owner_name where known; summed up by these
  std::string nodes;  // all that a node uses; label node; summed up by it
};

// Two ways to the same values, one per series at one moment; empty where there is nothing to ask for.
struct Expression {
  std::string recorded;  // a selector of what the rules write once a minute
  std::string raw;
};
struct Expressions {
  // Labels namespace, pod (unless the owner says enough), owner_kind, owner_name, node (of DaemonSets, and where there
  // is no owner): of several replicas the highest, or the quantile.
  Expression workloads;
  // Label node; at least 0. Nothing while no pod at all is measured.
  Expression nodes;
  const Expression& Of(SubjectKind kind) const { return kind == SubjectKind::kWorkload ? workloads : nodes; }
};
// `quantile`: of the replicas, in millionths; only the highest is recorded.
Expressions ExpressionsFor(std::string_view resource, const ResourceQueries& own, int64_t quantile = usage::kMillion);

// The series of kubelet's cAdvisor that `raw` of a resource is made from; empty where huygens has none for it.
std::string_view UsualMetric(std::string_view resource);

// One series for each `Expression::recorded` that yields something now, for any resource, and which that is.
std::string RecordingsQuery();
std::string Recording(const wire::PrometheusLabels& labels);

// `expression` over the `window` that ends when the query is evaluated, once a `step`: all values, or the highest. The
// samples of a recorded series, which need no step, come with their own times.
std::string Samples(std::string_view expression, bool recorded, Duration window, Duration step);
std::string Highest(std::string_view expression, bool recorded, Duration window, Duration step);

}  // namespace huygens::prom
