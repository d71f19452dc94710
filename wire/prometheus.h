// Answers of Prometheus' HTTP API to query and query_range (web/api/v1/api.go, util/jsonutil), and of those that speak
// it: Thanos, Mimir, VictoriaMetrics. Instant vectors and matrices; native histograms in them are passed over. The
// samples go to the visitor one by one, since a week of a cluster has millions. Safe on any thread.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"
#include "base/time.h"

namespace huygens::wire {

struct PrometheusAnswer {
  bool success = false;
  std::string error_type;  // "bad_data", "execution", "timeout", "canceled", "internal", "unavailable", "not_found"
  std::string error;
  std::vector<std::string> warnings;  // with success: the data may be partial
};

// In the order of the answer; views hold during the call.
using PrometheusLabels = std::vector<std::pair<std::string_view, std::string_view>>;

struct PrometheusVisitor {
  // False: its samples are of no interest.
  std::function<bool(const PrometheusLabels& labels)> on_series;
  // Of that series. NaN and infinite values come as they are; a number that no double holds comes as NaN.
  std::function<void(Time time, double value)> on_sample;
};

// Fails on what is no such answer; samples before the fault have been visited by then.
StatusOr<PrometheusAnswer> DecodePrometheusAnswer(std::string_view json, const PrometheusVisitor& visitor);

}  // namespace huygens::wire
