// What requests were worth, against what was used after they had been chosen. Pure; not thread-safe.
#pragma once

#include <span>

namespace huygens::recommend {

class Outcome {
 public:
  // One series: what was requested for it, and what it then used, in the same unit and at even times.
  void Add(double request, std::span<const double> used);

  size_t series() const { return series_; }
  double slack() const { return slack_ / used_; }      // requested and not used, by what was used
  double deficit() const { return deficit_ / used_; }  // used beyond the request, by what was used
  double exceeded() const { return exceeded_ / static_cast<double>(series_); }  // mean share of times above the request
  double hit() const {
    return hit_ / static_cast<double>(series_);
  }  // share of series above it in more than 5 % of times
  double short_peaks() const {
    return short_peaks_ / static_cast<double>(series_);
  }  // that use more than twice of it once
  double by_peak() const { return requested_ / peaks_; }  // sum of requests by the sum of peaks

 private:
  size_t series_ = 0;
  double slack_ = 0, deficit_ = 0, used_ = 0, exceeded_ = 0, hit_ = 0, short_peaks_ = 0, requested_ = 0, peaks_ = 0;
};

}  // namespace huygens::recommend
