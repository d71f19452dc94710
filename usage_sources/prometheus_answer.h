// Answers of Prometheus' HTTP API to query and query_range (web/api/v1/api.go, util/jsonutil), and of those that speak
// it: Thanos, Mimir, VictoriaMetrics. Instant vectors and matrices; native histograms in them are passed over. An
// answer is read piece by piece as it arrives and its samples go to the visitor one by one: what is held of it is one
// series without its samples, however long the answer. One decoder belongs to one thread.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"
#include "base/time.h"

namespace huygens::usage_sources {

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

class PrometheusDecoder {
 public:
  // The visitor outlives the decoder.
  explicit PrometheusDecoder(const PrometheusVisitor& visitor);
  ~PrometheusDecoder();

  // The next piece, cut anywhere. Fails on what is no such answer, and then for good; samples before the fault have
  // been visited by then.
  Status Write(std::string_view piece);
  // Once, after the last piece.
  StatusOr<PrometheusAnswer> Finish();

 private:
  class Impl;
  const std::unique_ptr<Impl> impl_;
};

// An answer that is there as a whole.
StatusOr<PrometheusAnswer> DecodePrometheusAnswer(std::string_view json, const PrometheusVisitor& visitor);

}  // namespace huygens::usage_sources
