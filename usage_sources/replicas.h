// What counts for all replicas of a workload: a quantile of what each used at one moment, the highest by default.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "base/time.h"

namespace huygens::usage_sources {

// Interpolated between the two nearest, as Prometheus does, and rounded up; 1 million: the highest. `amounts`, at least
// one, are put in order.
int64_t QuantileOf(std::vector<int64_t>& amounts, int64_t millionths);

// One round of samples.
class Replicas {
 public:
  void Add(std::string_view workload, int64_t amount, Time measured);
  // For each workload, in no order; `measured` is the newest of its samples.
  using Take = std::function<void(std::string_view workload, int64_t amount, Time measured)>;
  void DeliverTo(const Take& take, int64_t millionths) &&;

 private:
  struct Samples {
    std::vector<int64_t> amounts;
    Time measured = Time::min();
  };
  TextMap<Samples> workloads_;
};

}  // namespace huygens::usage_sources
