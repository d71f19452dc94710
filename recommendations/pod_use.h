// What a pod uses at one moment, container by container. Safe on any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "base/time.h"
#include "recommend/decision.h"

namespace huygens::recommendations {

struct ContainerUse {
  std::string name;
  recommend::PerResource<std::optional<int64_t>> used;  // milli-CPU, rounded up, and bytes; nothing: not measured
  friend bool operator==(const ContainerUse&, const ContainerUse&) = default;
};

struct PodUse {
  std::string namespace_name, name;
  Time time;
  std::vector<ContainerUse> containers;
  friend bool operator==(const PodUse&, const PodUse&) = default;
};

// A PodMetricsList of metrics.k8s.io/v1beta1. Items that cannot be read, or have no time, are left out and counted.
struct PodUses {
  std::vector<PodUse> pods;
  size_t left_out = 0;
};
StatusOr<PodUses> DecodePodMetricsList(std::string_view json);

}  // namespace huygens::recommendations
