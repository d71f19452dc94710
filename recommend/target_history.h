// All that is remembered of one target of a recommendation (a workload, a namespace, a pod), and how it is stored.
//
// A checkpoint is JSON with a version and what its buckets and half-lives are. One of another version or of other
// options is refused with FailedPrecondition: the caller then begins anew, or back-fills from Prometheus. One that is
// damaged is refused with InvalidArgument. Errors leave the history as it was. Loading and saving again changes nothing
// but the last bits, except that a bucket with less than 1/20000 of the largest weight is lost. Pure; not thread-safe.
#pragma once

#include <string>
#include <string_view>

#include "recommend/decision.h"
#include "recommend/memory_guard.h"
#include "recommend/usage_model.h"

namespace huygens::recommend {

class TargetHistory {
 public:
  // The options must be right (ModelOptions::Check).
  TargetHistory(const ModelOptions& cpu, const ModelOptions& memory) : cpu_(cpu), memory_(memory) {}

  // One scan of one pod: what its containers use of both, by container. Says whether any of it counts.
  bool Add(const PodReading& cpu, const PodReading& memory);
  void AddOomKill(int64_t bytes, Time time) { guard_.AddOomKill(bytes, time); }

  // Ready from the first sample of both on; whether that is enough, the pool's policy says.
  Recommendation Recommend(Time now, bool memory_guard = true) const;
  double Confidence() const;  // ConfidenceOf, by the samples of CPU

  std::string Save() const;
  Status Load(std::string_view checkpoint);

  const UsageModel& cpu() const { return cpu_; }
  const UsageModel& memory() const { return memory_; }
  const MemoryGuard& guard() const { return guard_; }
  void ForgetPods(Time before);

 private:
  UsageModel cpu_, memory_;
  MemoryGuard guard_;
};

}  // namespace huygens::recommend
