#include "usage_sources/replicas.h"

#include <algorithm>

#include "usage/options.h"

namespace huygens::usage_sources {

int64_t QuantileOf(std::vector<int64_t>& amounts, int64_t millionths) {
  std::ranges::sort(amounts);
  const auto rank = static_cast<size_t>(millionths) * (amounts.size() - 1);
  const size_t below = rank / usage::kMillion;
  const int64_t low = amounts[below], between = amounts[std::min(below + 1, amounts.size() - 1)] - low;
  const auto part = static_cast<int64_t>(rank % usage::kMillion);
  return low + between / usage::kMillion * part +
         (between % usage::kMillion * part + usage::kMillion - 1) / usage::kMillion;
}

void Replicas::Add(std::string_view workload, int64_t amount, Time measured) {
  Samples& samples = workloads_[workload];
  samples.amounts.push_back(amount);
  samples.measured = std::max(samples.measured, measured);
}

void Replicas::DeliverTo(const Take& take, int64_t millionths) && {
  for (auto& [workload, samples] : workloads_)
    take(workload, QuantileOf(samples.amounts, millionths), samples.measured);
}

}  // namespace huygens::usage_sources
