// How use is measured and judged: the `usage` part of the configuration, with names resolved. Shares are in millionths,
// so that a threshold is a whole number and equality is exact.
#pragma once

#include <bitset>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/resource.h"
#include "base/time.h"

namespace huygens::usage {

// How the pods of a node add up to its peak.
enum class Estimator : uint8_t {
  kPeakOfSum,  // the highest slot of the sum of their weekly curves
  kSumOfPeaks  // the sum of their seven-day maxima, whenever each was
};

// What is known of a node's real use of one resource.
enum class MetricState : uint8_t {
  kFresh,   // measured within `stale_after`
  kStale,   // measured, but not lately
  kAbsent,  // never measured
};

// What the check goes by where that state is stale or absent.
enum class WhenUnknown : uint8_t { kUseRequests, kPass, kReject };

inline constexpr int64_t kMillion = 1'000'000;
inline constexpr size_t kMaxResources = 8;
// Resources by position in Options::resources.
using ResourceMask = std::bitset<kMaxResources>;

struct ResourceOptions {
  std::string name;                // as the operator calls it: "cpu", "disk-io"
  ResourceId resource = kCpu;      // its requests, limits and allocatable; "disk" goes by ephemeral-storage
  std::optional<int64_t> ceiling;  // share of the node's real allocatable, in millionths; none: score only
  WhenUnknown when_stale = WhenUnknown::kUseRequests;
  WhenUnknown when_absent = WhenUnknown::kUseRequests;
};

struct Options {
  Estimator estimator = Estimator::kPeakOfSum;
  Duration slot = std::chrono::minutes(15);
  size_t slots = 672;  // of one window: seven days of 15 minutes
  Duration stale_after = std::chrono::minutes(10);
  int64_t max_stale_nodes = kMillion / 2;  // share above which the check steps aside
  // What of the window must have been measured before the check refuses for it; of a shorter window all.
  Duration min_history = Duration::zero();
  int64_t replica_quantile = kMillion;  // of what the replicas of a workload used; all: the highest
  size_t max_workloads = 200'000;       // with history; as many nodes
  // Kinds of owners, beside pods that have none, whose names never come again.
  std::vector<std::string> run_once = {"Job", "TaskRun", "PipelineRun", "Workflow"};
  std::vector<ResourceOptions> resources;  // at most kMaxResources
};

}  // namespace huygens::usage
