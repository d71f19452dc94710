// A histogram in which a sample counts the less the older it is: half as much after each half-life. The arithmetic is
// that of VPA (vertical-pod-autoscaler v1.8.1, pkg/recommender/util), with three differences on purpose:
//  - the total is the sum of the weights, always. VPA counts it apart, so that it drifts when more is subtracted than
//    was added;
//  - a change of the reference time and a merge take all buckets along. VPA forgets those of very little weight that lie
//    outside of the others;
//  - a checkpoint is loaded into a new histogram. VPA loads into one that is in use, and overwrites its reference time.
//
// Weights are kept as of a reference time; a sample of then weighs as much as it was given, one that is h half-lives
// younger 2^h times that. Percentiles do not depend on the reference time. It is the first sample's time rounded to a
// multiple of the half-life since the year 1 (as Go rounds), and moves when a sample is more than 100 half-lives
// younger. The order in which samples come in does not matter, but for the last bits.
//
// Errors leave the histogram as it was. Pure; not thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/status.h"
#include "base/time.h"
#include "recommend/buckets.h"

namespace huygens::recommend {

struct HistogramOptions {
  std::shared_ptr<const Buckets> buckets;                      // one for all histograms that share them
  std::optional<Duration> half_life = std::chrono::hours(24);  // nothing: samples keep their weight for ever
  double epsilon = 1e-4;                                       // a bucket with less weight counts as empty

  // With the buckets of Buckets::Cpu() and Buckets::Memory(), the same ones in each call's copies.
  static HistogramOptions Cpu(Duration half_life);
  static HistogramOptions Memory(Duration half_life);
  // Says what is wrong: no buckets, a half-life that is not positive or longer than a year, an epsilon that is negative.
  Status Check() const;
};
// Whether histograms of both can be merged.
bool operator==(const HistogramOptions& a, const HistogramOptions& b);

// A histogram as it is stored: the weights relative to the largest, which is kMostWeight.
struct HistogramCheckpoint {
  static constexpr int64_t kMostWeight = 10'000;

  std::optional<Time> reference;                     // nothing: there was no sample
  double total = 0;                                  // sum of all weights, as of the reference
  std::vector<std::pair<int64_t, int64_t>> weights;  // bucket and weight, by bucket; zeros left out
};

class Histogram {
 public:
  // The options must be right (Check).
  explicit Histogram(HistogramOptions options);
  // Fails for a bucket that there is not, or a weight or total that is negative or no number.
  static StatusOr<Histogram> Load(HistogramOptions options, const HistogramCheckpoint& checkpoint);
  // After loading, no weight differs by more than 1/20000 of the largest.
  HistogramCheckpoint Save() const;

  // Fails where value or weight is no finite number, the weight negative, or the time before 1900 or after 2200.
  Status Add(double value, double weight, Time time);
  // Takes back what was added at that time; of a bucket with less weight all of it.
  Status Subtract(double value, double weight, Time time);
  // As if all samples of the other had been added here. Fails where the options differ.
  Status Merge(const Histogram& other);

  // The end of the first bucket up to which lies this share of the weight, never of one above the highest that is not
  // empty; 0 if all are empty. A share below 0 is 0, above 1 is 1.
  double Percentile(double share) const;
  // Several at once, which costs hardly more than one.
  void Percentiles(std::span<const double> shares, std::span<double> values) const;

  bool empty() const;
  double total() const;
  std::vector<double> weights() const;  // of each bucket
  std::optional<Time> reference() const { return reference_; }
  const HistogramOptions& options() const { return options_; }

  // First and last bucket that is not empty; of an empty histogram the last and the first that there are.
  std::pair<size_t, size_t> Range() const;

 private:
  Status CheckSample(double value, double weight, Time time) const;
  // How much more a sample of this time weighs than one of the reference time, which may move.
  double Growth(Time time);
  void MoveReference(Time to);
  double& At(size_t bucket);

  HistogramOptions options_;
  std::vector<double> weights_;  // up to the highest bucket that ever had any
  std::optional<Time> reference_;
};

// `time` rounded to a multiple of `step` since 0001-01-01T00:00:00Z, up at half way: Go's Time.Round.
Time RoundAsInGo(Time time, Duration step);

}  // namespace huygens::recommend
