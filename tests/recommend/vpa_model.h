// VPA's own model of one container (vertical-pod-autoscaler v1.8.1, pkg/recommender/{model,logic}, default
// configuration), to compare with: CPU samples all of one weight; of memory one peak per
// container and window of 24 hours, dated to the end of the window; an OOM kill as a peak above what was used.
//
// Pods of the same kind share a VpaAggregate per container name; each pod's container has a VpaContainer that feeds it.
// CPU in milli, memory in bytes. Pure; not thread-safe.
#pragma once

#include <cstdint>
#include <optional>

#include "recommend/histogram.h"

namespace huygens::recommend {

struct VpaAggregate {
  explicit VpaAggregate(Time when) : created(when) {}

  // The other's samples too; fails only for histograms of other options.
  Status Merge(const VpaAggregate& other);
  // Whether nothing has come for eight days.
  bool IsExpired(Time now) const;

  Histogram cpu{HistogramOptions::Cpu(std::chrono::hours(24))};
  Histogram memory{HistogramOptions::Memory(std::chrono::hours(24))};
  Time created;
  std::optional<Time> first, last;  // of the CPU samples
  int64_t samples = 0;              // of CPU
};

class VpaContainer {
 public:
  // Each says whether the sample counts: not if it is negative, or not younger than the last (of memory: older).
  bool AddCpu(VpaAggregate& to, int64_t milli, Time time);
  bool AddMemory(VpaAggregate& to, int64_t bytes, Time time) { return AddMemory(to, bytes, time, false); }
  // `requested` when it was killed. One of more than a window before the last sample does not count.
  bool AddOom(VpaAggregate& to, int64_t requested, Time time);

  int64_t peak() const { return peak_; }
  int64_t oom_peak() const { return oom_peak_; }
  std::optional<Time> window_end() const { return window_end_; }
  std::optional<Time> last_memory() const { return last_memory_; }

 private:
  bool AddMemory(VpaAggregate& to, int64_t bytes, Time time, bool oom);

  std::optional<Time> last_cpu_, last_memory_, window_end_;
  int64_t peak_ = 0;  // of the present window, as measured and as an OOM kill says
  int64_t oom_peak_ = 0;
};

struct VpaEstimate {
  int64_t cpu_milli = 0;
  int64_t memory = 0;
};
struct VpaEstimates {
  VpaEstimate target, lower, upper;
};
// What VPA would recommend for one of so many containers of a pod.
VpaEstimates EstimateAsVpa(const VpaAggregate& aggregate, size_t containers);

// `amount` rounded up to a multiple of `scale`: fails unless scale is positive.
StatusOr<int64_t> RoundUpToScale(int64_t amount, int64_t scale);

}  // namespace huygens::recommend
