// The PromQL of huygens: for one resource, what its pods use by workload, and what nodes use beyond their pods; from
// the series that the recording rules write (config/prometheus/rules.yaml holds the same expressions), or where there
// are none from the usual series (usage_sources/series.h). Pure functions; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "usage/options.h"
#include "usage_sources/prometheus_answer.h"
#include "usage_sources/series.h"
#include "usage_sources/shard.h"
#include "usage_sources/subject.h"

namespace huygens::usage_sources {

// An operator's own expressions for one resource; empty: what huygens has for it. In cores, bytes, operations a second,
// or whatever the resource is counted in, at one moment. Of series that differ by Scope::replica_labels alone the
// highest counts.
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
  // Label node; at least 0, or NaN where the pods of the node are measured and the node itself is not. Nothing while no
  // pod at all is measured. A node that cAdvisor does not measure as a whole counts with the other sources of
  // NodeSource while its pods are measured.
  Expression nodes;
  const Expression& Of(SubjectKind kind) const { return kind == SubjectKind::kWorkload ? workloads : nodes; }
};
// `quantile`: of the replicas, in millionths; only the highest is recorded.
Expressions ExpressionsFor(std::string_view resource, const ResourceQueries& own, int64_t quantile = usage::kMillion,
                           const Scope& scope = {});

// A part of all workloads. Of what is recorded by pod, and where the owner says enough by that; of what is raw by
// namespace, so that the replicas of a workload stay together.
struct Part {
  Shard name;   // of pods or namespaces
  Shard owner;  // of what is recorded
  // Parts that make up this one; empty where there are none.
  std::vector<Part> Split(bool recorded) const;
};
// That part of Expressions::workloads, without an operator's own expression, which cannot be cut.
Expression WorkloadsIn(const Part& part, std::string_view resource, int64_t quantile, const Scope& scope);

// One series for each `Expression::recorded` that yields something now, for any resource, and which that is.
std::string RecordingsQuery(const Scope& scope = {});
std::string Recording(const PrometheusLabels& labels, const Scope& scope = {});

// The highest value of `expression` over the `window` that ends when the query is evaluated, one of each series. What
// is not recorded is worked out once a `step` for it.
std::string Highest(std::string_view expression, bool recorded, Duration window, Duration step);

}  // namespace huygens::usage_sources
