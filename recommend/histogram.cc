#include "recommend/histogram.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace huygens::recommend {

namespace {

using Wide = __int128;

// Beyond so many half-lives the reference moves, lest the weights outgrow what a double can hold.
constexpr int kMostHalfLives = 100;
constexpr Time kEarliest = Time(std::chrono::sys_days(std::chrono::year(1900) / 1 / 1));
constexpr Time kLatest = Time(std::chrono::sys_days(std::chrono::year(2200) / 1 / 1));
// From 0001-01-01 to 1970-01-01.
constexpr Wide kYearOneToEpoch = Wide{62'135'596'800} * 1'000'000'000;

Wide Difference(Time a, Time b) { return Wide{a.time_since_epoch().count()} - b.time_since_epoch().count(); }

double HalfLives(Time from, Time to, Duration half_life) {
  return static_cast<double>(Difference(to, from)) / static_cast<double>(half_life.count());
}

}  // namespace

Time RoundAsInGo(Time time, Duration step) {
  const Wide since = time.time_since_epoch().count() + kYearOneToEpoch;
  const Wide rest = since % step.count();
  const Wide rounded = rest + rest < step.count() ? since - rest : since + step.count() - rest;
  return Time(Duration(static_cast<int64_t>(rounded - kYearOneToEpoch)));
}

HistogramOptions HistogramOptions::Cpu(Duration half_life) {
  return {std::make_shared<const Buckets>(Buckets::Cpu()), half_life};
}

HistogramOptions HistogramOptions::Memory(Duration half_life) {
  return {std::make_shared<const Buckets>(Buckets::Memory()), half_life};
}

Status HistogramOptions::Check() const {
  if (!buckets) return Invalid("a histogram needs buckets");
  if (half_life && (*half_life <= Duration(0) || *half_life > std::chrono::hours(24 * 366))) {
    return Invalid("halfLife must be positive, and a year at most");
  }
  if (!(epsilon >= 0)) return Invalid("the weight below which a bucket is empty must not be negative");
  return absl::OkStatus();
}

bool operator==(const HistogramOptions& a, const HistogramOptions& b) {
  return (a.buckets == b.buckets || *a.buckets == *b.buckets) && a.half_life == b.half_life && a.epsilon == b.epsilon;
}

Histogram::Histogram(HistogramOptions options) : options_(std::move(options)) {}

double& Histogram::At(size_t bucket) {
  constexpr size_t kGrain = 8;
  if (bucket >= weights_.size()) {
    const size_t size = std::min(options_.buckets->count(), (bucket / kGrain + 1) * kGrain);
    weights_.reserve(size);  // no more: of thousands of histograms most hold small values
    weights_.resize(size, 0.0);
  }
  return weights_[bucket];
}

std::vector<double> Histogram::weights() const {
  std::vector<double> all = weights_;
  all.resize(options_.buckets->count(), 0.0);
  return all;
}

StatusOr<Histogram> Histogram::Load(HistogramOptions options, const HistogramCheckpoint& checkpoint) {
  Histogram loaded(std::move(options));
  if (!std::isfinite(checkpoint.total) || checkpoint.total < 0) {
    return Invalid("checkpoint: the total weight is negative or no number");
  }
  if (checkpoint.reference && (*checkpoint.reference < kEarliest || *checkpoint.reference > kLatest)) {
    return Invalid("checkpoint: the reference time is not between 1900 and 2200");
  }
  double sum = 0;
  for (const auto& [bucket, weight] : checkpoint.weights) {
    if (bucket < 0 || static_cast<size_t>(bucket) >= loaded.options_.buckets->count()) {
      return Invalid(Concat("checkpoint: there is no bucket ", std::to_string(bucket), " of ",
                            std::to_string(loaded.options_.buckets->count())));
    }
    if (weight < 0) return Invalid(Concat("checkpoint: bucket ", std::to_string(bucket), " has a negative weight"));
    sum += static_cast<double>(weight);
  }
  loaded.reference_ = checkpoint.reference;
  if (sum == 0) return loaded;
  const double unit = checkpoint.total / sum;
  for (const auto& [bucket, weight] : checkpoint.weights) {
    loaded.At(static_cast<size_t>(bucket)) += static_cast<double>(weight) * unit;
  }
  return loaded;
}

HistogramCheckpoint Histogram::Save() const {
  HistogramCheckpoint checkpoint{reference_, total(), {}};
  const auto [first, last] = Range();
  if (first > last) return checkpoint;
  const double unit = HistogramCheckpoint::kMostWeight / *std::max_element(weights_.begin(), weights_.end());
  for (size_t bucket = first; bucket <= last; ++bucket) {
    const auto weight = static_cast<int64_t>(std::floor(weights_[bucket] * unit + 0.5));
    if (weight > 0) checkpoint.weights.emplace_back(static_cast<int64_t>(bucket), weight);
  }
  return checkpoint;
}

Status Histogram::CheckSample(double value, double weight, Time time) const {
  if (!std::isfinite(value)) return Invalid("a sample's value is no finite number");
  if (!std::isfinite(weight) || weight < 0) return Invalid("a sample's weight is negative or no finite number");
  if (time < kEarliest || time > kLatest) return Invalid("a sample's time is not between 1900 and 2200");
  return absl::OkStatus();
}

double Histogram::Growth(Time time) {
  if (!options_.half_life) return 1;
  const Duration half_life = *options_.half_life;
  if (!reference_) reference_ = RoundAsInGo(time, half_life);
  if (Difference(time, *reference_) > Wide{kMostHalfLives} * half_life.count()) {
    MoveReference(RoundAsInGo(time, half_life));
  }
  return std::exp2(HalfLives(*reference_, time, half_life));
}

void Histogram::MoveReference(Time to) {
  const double factor = std::exp2(HalfLives(to, *reference_, *options_.half_life));
  for (double& weight : weights_) weight *= factor;
  reference_ = to;
}

Status Histogram::Add(double value, double weight, Time time) {
  HUYGENS_RETURN_IF_ERROR(CheckSample(value, weight, time));
  At(options_.buckets->Find(value)) += weight * Growth(time);
  return absl::OkStatus();
}

Status Histogram::Subtract(double value, double weight, Time time) {
  HUYGENS_RETURN_IF_ERROR(CheckSample(value, weight, time));
  const double taken = weight * Growth(time);  // first: it may move the reference
  double& left = At(options_.buckets->Find(value));
  left -= taken;
  if (left < options_.epsilon) left = 0;
  return absl::OkStatus();
}

Status Histogram::Merge(const Histogram& other) {
  if (!(options_ == other.options_)) return Invalid("histograms of other buckets or half-lives cannot be merged");
  double factor = 1;
  if (options_.half_life && other.reference_) {
    if (!reference_) reference_ = other.reference_;
    if (*reference_ < *other.reference_) MoveReference(*other.reference_);
    factor = std::exp2(HalfLives(*reference_, *other.reference_, *options_.half_life));
  }
  for (size_t bucket = 0; bucket < other.weights_.size(); ++bucket) At(bucket) += other.weights_[bucket] * factor;
  return absl::OkStatus();
}

double Histogram::Percentile(double share) const {
  double value = 0;
  Percentiles({&share, 1}, {&value, 1});
  return value;
}

void Histogram::Percentiles(std::span<const double> shares, std::span<double> values) const {
  const auto [first, last] = Range();
  const double all = total();
  for (size_t i = 0; i < shares.size(); ++i) {
    values[i] = 0;
    if (first > last) continue;
    const double enough = shares[i] * all;
    double sum = 0;
    size_t bucket = first;
    for (; bucket < last; ++bucket) {
      sum += weights_[bucket];
      if (sum >= enough) break;
    }
    values[i] = options_.buckets->End(bucket);
  }
}

bool Histogram::empty() const {
  return std::none_of(weights_.begin(), weights_.end(), [&](double weight) { return weight >= options_.epsilon; });
}

double Histogram::total() const { return std::accumulate(weights_.begin(), weights_.end(), 0.0); }

std::pair<size_t, size_t> Histogram::Range() const {
  const size_t end = options_.buckets->count() - 1;
  if (weights_.empty()) return {std::max<size_t>(end, 1), 0};
  size_t first = 0, last = weights_.size() - 1;
  while (first + 1 < weights_.size() && weights_[first] < options_.epsilon) ++first;
  if (weights_[first] < options_.epsilon) first = end;
  while (last > 0 && weights_[last] < options_.epsilon) --last;
  return {first, last};
}

}  // namespace huygens::recommend
