#include "recommend/usage_model.h"

#include <algorithm>
#include <cmath>

namespace huygens::recommend {

namespace {

constexpr double kLeastWeight = 0.1;

std::optional<int64_t> SumOf(std::span<const std::optional<int64_t>> containers) {
  int64_t sum = 0;
  for (const std::optional<int64_t>& each : containers) {
    if (!each || *each < 0 || __builtin_add_overflow(sum, *each, &sum)) return std::nullopt;
  }
  return containers.empty() ? std::nullopt : std::optional(sum);
}

}  // namespace

double ConfidenceOf(const std::optional<Time>& first, const std::optional<Time>& last, int64_t samples) {
  if (!first || !last) return 0;
  const std::chrono::duration<double, std::ratio<86'400>> span = *last - *first;
  return std::min(span.count(), static_cast<double>(samples) / 1440);
}

ModelOptions ModelOptions::Cpu(const Profile& profile) {
  return {Resource::kCpu, HistogramOptions::Cpu(profile.half_life), profile.cpu_percentile, std::nullopt};
}

ModelOptions ModelOptions::Memory(const Profile& profile) {
  return {Resource::kMemory, HistogramOptions::Memory(profile.half_life), profile.memory_percentile, 1.0};
}

Status ModelOptions::Check() const {
  HUYGENS_RETURN_IF_ERROR(histogram.Check());
  if (!(percentile > 0 && percentile <= 1)) return Invalid("percentile must be above 0 and at most 1");
  if (fixed_weight && !(std::isfinite(*fixed_weight) && *fixed_weight > 0)) return Invalid("weight must be positive");
  return absl::OkStatus();
}

bool UsageModel::Add(const PodReading& reading) {
  const std::optional<int64_t> sum = SumOf(reading.containers);
  if (!sum) return false;
  const auto known = last_of_pod_.find(reading.pod);
  if (known != last_of_pod_.end() && reading.time <= known->second) return false;
  const double value = static_cast<double>(*sum) / UnitsOf(options_.resource);
  const double weight = options_.fixed_weight.value_or(
      std::max(static_cast<double>(reading.original_cpu_milli) / UnitsOf(Resource::kCpu), kLeastWeight));
  if (!histogram_.Add(value, weight, reading.time).ok()) return false;
  if (known != last_of_pod_.end()) {
    known->second = reading.time;
  } else {
    last_of_pod_.emplace(reading.pod, reading.time);
  }
  first_ = std::min(first_.value_or(reading.time), reading.time);
  last_ = std::max(last_.value_or(reading.time), reading.time);
  ++samples_;
  return true;
}

void UsageModel::ForgetPods(Time before) {
  absl::erase_if(last_of_pod_, [&](const auto& each) { return each.second < before; });
}

Status UsageModel::Restore(Histogram histogram, std::optional<Time> first, std::optional<Time> last, int64_t samples) {
  if (!(histogram.options() == options_.histogram)) return Refused("checkpoint: it is of other buckets or half-lives");
  histogram_ = std::move(histogram);
  first_ = first;
  last_ = last;
  samples_ = samples;
  last_of_pod_.clear();
  return absl::OkStatus();
}

}  // namespace huygens::recommend
