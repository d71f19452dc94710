#include "usage/estimate.h"

#include <algorithm>

#include "base/text.h"
#include "usage/curve.h"

namespace huygens::usage {
namespace {

constexpr int64_t kUnstatedCpu = 250;
constexpr int64_t kUnstatedMemory = int64_t{200} << 20;

int64_t Stated(const ResourceVector& requests, const ResourceVector& limits, ResourceId resource) {
  return std::clamp<int64_t>(std::max(requests.Get(resource), limits.Get(resource)), 0, kMostUse);
}

// By what runs for good: init containers are gone before there is much to measure.
int64_t Stated(const cluster::Pod& pod, ResourceId resource) {
  if (pod.pod_level && (pod.pod_level->requests.Has(resource) || pod.pod_level->limits.Has(resource))) {
    return Stated(pod.pod_level->requests, pod.pod_level->limits, resource);
  }
  int64_t sum = 0;
  for (const cluster::Container& container : pod.containers) {
    sum = std::min(sum + Stated(container.requests, container.limits, resource), kMostUse);
  }
  for (const cluster::Container& container : pod.init_containers) {
    if (!container.restartable) continue;
    sum = std::min(sum + Stated(container.requests, container.limits, resource), kMostUse);
  }
  return sum;
}

int64_t StatedInAll(const cluster::Pod& pod, ResourceId resource) {
  const int64_t overhead = std::clamp<int64_t>(pod.overhead.Get(resource), 0, kMostUse);
  return std::min(Stated(pod, resource) + overhead, kMostUse);
}

int64_t PercentOf(ResourceId resource) { return resource == kCpu ? 85 : 70; }

}  // namespace

int64_t EstimateOf(const cluster::Pod& pod, ResourceId resource) {
  const int64_t stated = StatedInAll(pod, resource);
  if (stated == 0) return resource == kCpu ? kUnstatedCpu : resource == kMemory ? kUnstatedMemory : 0;
  return (stated * PercentOf(resource) + 50) / 100;
}

int64_t MostStated(int64_t estimate, ResourceId resource) {
  return (std::clamp<int64_t>(estimate, 0, kMostUse) * 100 + 49) / PercentOf(resource);
}

std::string EstimateText(const cluster::Pod& pod, ResourceId resource) {
  if (StatedInAll(pod, resource) == 0) return "which states none, and nothing is measured yet";
  return Concat(std::to_string(PercentOf(resource)), " % of what it requests or is limited to, nothing measured yet");
}

}  // namespace huygens::usage
