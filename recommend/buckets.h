// The buckets of a histogram: bucket N holds values in [Start(N), Start(N + 1)), the last one everything above. The
// scheme is that of VPA (vertical-pod-autoscaler v1.8.1, pkg/recommender/util), whose starts these are to the last bit,
// so that checkpoints can be exchanged. The bucket of a value is looked up among the starts; VPA divides two logarithms
// instead, and may choose the neighbour for a value that is exactly a start. Pure; any thread.
#pragma once

#include <cstddef>
#include <vector>

#include "base/status.h"

namespace huygens::recommend {

class Buckets {
 public:
  // Sizes first, first * ratio, first * ratio^2 ... until `max` is reached. Fails unless first and max are positive and
  // finite, ratio is above 1, and there are at most kMost buckets.
  static StatusOr<Buckets> Exponential(double first, double ratio, double max);
  // All of one size.
  static StatusOr<Buckets> Linear(double size, double max);
  // Those of every recommendation: cores from 0.01 to 1000, and bytes from 10^7 to 10^12, each 5 % larger than the last.
  static Buckets Cpu();
  static Buckets Memory();

  static constexpr size_t kMost = 10'000;

  size_t count() const { return starts_.size(); }
  double Start(size_t bucket) const { return starts_[bucket]; }
  // What a percentile that falls into the bucket answers: its end, or of the last bucket its start.
  double End(size_t bucket) const { return starts_[bucket + 1 < count() ? bucket + 1 : bucket]; }
  // The bucket of a value, which must not be NaN; the first for all below it.
  size_t Find(double value) const;

  double first() const { return first_; }
  double ratio() const { return ratio_; }  // 1: linear
  double max() const { return max_; }
  friend bool operator==(const Buckets& a, const Buckets& b) {
    return a.first_ == b.first_ && a.ratio_ == b.ratio_ && a.max_ == b.max_;
  }

 private:
  Buckets(double first, double ratio, double max, std::vector<double> starts)
      : first_(first), ratio_(ratio), max_(max), starts_(std::move(starts)) {}

  double first_;
  double ratio_;
  double max_;
  std::vector<double> starts_;
};

}  // namespace huygens::recommend
