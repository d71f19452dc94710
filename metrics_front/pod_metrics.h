// A PodMetricsList of metrics.k8s.io/v1beta1 as JSON, with the place of each amount in the text, so that amounts can be
// changed and every other byte stays. Safe on any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "base/time.h"
#include "recommend/decision.h"

namespace huygens::metrics_front {

struct MeasuredAmount {
  int64_t thousandths = 0;  // of cores, of bytes
  std::string_view text;    // in the list, with its quotes
};

struct ContainerMetrics {
  std::string name;
  recommend::PerResource<std::optional<MeasuredAmount>> usage;
};

struct PodMetrics {
  std::string namespace_name, name;
  Time timestamp;
  Duration window{};
  std::vector<ContainerMetrics> containers;
};

// `json` outlives what is returned. Fails on what is no such list.
StatusOr<std::vector<PodMetrics>> DecodePodMetrics(std::string_view json);

struct Replacement {
  std::string_view old;  // in the text
  int64_t thousandths = 0;
};
// The text with other amounts in these places, which do not overlap.
std::string WithAmounts(std::string_view json, std::vector<Replacement> replacements);

}  // namespace huygens::metrics_front
