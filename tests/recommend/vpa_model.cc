#include "tests/recommend/vpa_model.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "recommend/usage_model.h"

namespace huygens::recommend {

namespace {

constexpr Duration kWindow = std::chrono::hours(24);
constexpr int kWindows = 8;
constexpr double kCpuWeight = 0.1;
constexpr int64_t kOomBump = 100 << 20;
constexpr double kOomRatio = 1.2;
constexpr double kMargin = 0.15;
constexpr double kLeastCores = 0.025;
constexpr double kLeastBytes = 250 << 20;
constexpr double kMostAmount = 1e14;

// NaN, which upstream's lower bound has without any history, is 0.
int64_t AmountOf(double value) {
  if (!(value >= 0)) return 0;
  return static_cast<int64_t>(std::min(value, kMostAmount));
}

int64_t Scaled(int64_t amount, double factor) { return AmountOf(static_cast<double>(amount) * factor); }

VpaEstimate EstimateOf(const VpaAggregate& aggregate, double share, double multiplier, double exponent,
                       size_t containers) {
  const double one_of = 1.0 / static_cast<double>(std::max<size_t>(containers, 1));
  const double factor =
      exponent == 0
          ? 1
          : std::pow(1 + multiplier / ConfidenceOf(aggregate.first, aggregate.last, aggregate.samples), exponent);
  const auto estimate = [&](double percentile, int64_t least) {
    const int64_t base = AmountOf(percentile);
    return std::max(Scaled(base + Scaled(base, kMargin), factor), Scaled(least, one_of));
  };
  return {estimate(aggregate.cpu.Percentile(share) * 1000, AmountOf(kLeastCores * 1000)),
          estimate(aggregate.memory.Percentile(share), AmountOf(kLeastBytes))};
}

}  // namespace

Status VpaAggregate::Merge(const VpaAggregate& other) {
  HUYGENS_RETURN_IF_ERROR(cpu.Merge(other.cpu));
  HUYGENS_RETURN_IF_ERROR(memory.Merge(other.memory));
  if (other.first) {
    first = std::min(first.value_or(*other.first), *other.first);
    last = std::max(last.value_or(*other.last), *other.last);
  }
  samples += other.samples;
  return absl::OkStatus();
}

bool VpaAggregate::IsExpired(Time now) const { return now - (samples == 0 ? created : *last) >= kWindows * kWindow; }

bool VpaContainer::AddCpu(VpaAggregate& to, int64_t milli, Time time) {
  if (milli < 0 || (last_cpu_ && time <= *last_cpu_)) return false;
  if (!to.cpu.Add(static_cast<double>(milli) / 1000, kCpuWeight, time).ok()) return false;
  last_cpu_ = time;
  to.first = std::min(to.first.value_or(time), time);
  to.last = std::max(to.last.value_or(time), time);
  ++to.samples;
  return true;
}

bool VpaContainer::AddMemory(VpaAggregate& to, int64_t bytes, Time time, bool oom) {
  if (bytes < 0 || (!oom && last_memory_ && time < *last_memory_)) return false;
  last_memory_ = time;
  if (!window_end_) window_end_ = time;
  if (time < *window_end_) {
    const int64_t highest = std::max(peak_, oom_peak_);
    // As upstream: a window whose first peak was 0 keeps it.
    if (highest == 0 || bytes <= highest) return true;
    if (!to.memory.Subtract(static_cast<double>(highest), 1, *window_end_).ok()) return false;
  } else {
    *window_end_ += (time - *window_end_) / kWindow * kWindow + kWindow;
    peak_ = oom_peak_ = 0;
  }
  if (!to.memory.Add(static_cast<double>(bytes), 1, *window_end_).ok()) return false;
  (oom ? oom_peak_ : peak_) = bytes;
  return true;
}

bool VpaContainer::AddOom(VpaAggregate& to, int64_t requested, Time time) {
  if (last_memory_ && time < *last_memory_ - kWindow) return false;
  // Not of an earlier OOM's peak, lest one kill after another drives it up.
  const int64_t used = std::max(requested, peak_);
  return AddMemory(to, std::max(used + kOomBump, Scaled(used, kOomRatio)), time, true);
}

VpaEstimates EstimateAsVpa(const VpaAggregate& aggregate, size_t containers) {
  return {EstimateOf(aggregate, 0.9, 0, 0, containers), EstimateOf(aggregate, 0.5, 0.001, -2, containers),
          EstimateOf(aggregate, 0.95, 1, 1, containers)};
}

StatusOr<int64_t> RoundUpToScale(int64_t amount, int64_t scale) {
  if (scale <= 0) return Invalid("a scale must be positive");
  const int64_t rest = amount % scale;
  if (rest <= 0) return amount - rest;
  if (amount > std::numeric_limits<int64_t>::max() - (scale - rest))
    return OutOfRange("the rounded amount is too large");
  return amount + scale - rest;
}

}  // namespace huygens::recommend
