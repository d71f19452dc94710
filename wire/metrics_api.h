// metrics.k8s.io/v1beta1: what the resource metrics API (metrics-server) says one pod or one node used, averaged over a
// short window. NodeMetrics has one `usage`; that of PodMetrics is the sum over its containers. Safe on any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/resource.h"
#include "base/status.h"
#include "base/time.h"

namespace huygens::wire {

struct ResourceMetrics {
  std::string namespace_name;  // empty for a node
  std::string name;
  std::optional<Time> timestamp;  // end of the window
  // In base units. A resource that a container says nothing of, or something negative, is missing for the whole pod: a
  // part is no measurement of it.
  ResourceVector usage;
  std::string fault;  // why it could not be read, by who asked for many (kube/metrics_api.h); empty: it was
};

// One item of a PodMetricsList or NodeMetricsList (wire/list.h). Fails where `name` is missing.
StatusOr<ResourceMetrics> DecodeResourceMetrics(std::string_view json, const ResourceNames& names);

}  // namespace huygens::wire
