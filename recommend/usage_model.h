// What a target's pods use of one resource, and what its pods should request of it: vivo's variant of VPA's histogram.
// A sample is what all running containers of one pod used at one moment; it weighs as much as the pod's original CPU
// request, so that a raised request outweighs what came before it, or for memory 1. The model's value is a percentile.
//
// CPU is told in milli and answered in cores; memory in bytes. Pure; not thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/text.h"
#include "recommend/correction.h"
#include "recommend/histogram.h"
#include "recommend/profile.h"

namespace huygens::recommend {

// How much history there is between the first and the last sample, as VPA counts it: in days, or in samples where one a
// minute would be more. 0 without a sample.
double ConfidenceOf(const std::optional<Time>& first, const std::optional<Time>& last, int64_t samples);

struct ModelOptions {
  Resource resource = Resource::kCpu;
  HistogramOptions histogram;
  double percentile = 0;
  // Of each sample; nothing: the pod's original CPU request in cores, no less than 0.1.
  std::optional<double> fixed_weight;

  // CPU weighted by request, memory alike.
  static ModelOptions Cpu(const Profile& profile = kWeekly);
  static ModelOptions Memory(const Profile& profile = kWeekly);
  Status Check() const;
};

// One pod at one moment.
struct PodReading {
  std::string_view pod;  // what tells it from the target's other pods
  Time time;             // not in the future, by the caller's clock: what is older would weigh nothing beside it
  // Before any lowering: by the lowered request, lowering would devalue what is measured from then on.
  int64_t original_cpu_milli = 0;
  // What each container that runs uses, sidecars too; nothing where it has no metric.
  std::span<const std::optional<int64_t>> containers;
};

class UsageModel {
 public:
  // The options must be right (Check).
  explicit UsageModel(const ModelOptions& options) : options_(options), histogram_(options.histogram) {}

  // Says whether it counts: not if a container has no metric or a negative one, nor if it is no younger than the last of
  // this pod, since sources tell the same sample more than once.
  bool Add(const PodReading& reading);
  // The last samples of pods from before then are forgotten; what was counted stays.
  void ForgetPods(Time before);

  // Cores or bytes; 0 without samples.
  double Value() const { return histogram_.Percentile(options_.percentile); }
  const Histogram& histogram() const { return histogram_; }
  const ModelOptions& options() const { return options_; }
  std::optional<Time> first() const { return first_; }
  std::optional<Time> last() const { return last_; }
  int64_t samples() const { return samples_; }

  // Goes on from what was stored; fails where the histogram has other options than this one.
  Status Restore(Histogram histogram, std::optional<Time> first, std::optional<Time> last, int64_t samples);

 private:
  ModelOptions options_;
  Histogram histogram_;
  std::optional<Time> first_, last_;
  int64_t samples_ = 0;
  TextMap<Time> last_of_pod_;
};

}  // namespace huygens::recommend
