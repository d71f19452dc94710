// Real use as a running huygens tells it on /debug/usage and /debug/nodes/NAME (docs/usage.md): amounts as Kubernetes
// writes them, shares of the node's real allocatable. Plain values; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace huygens::cli {

struct PodUseView {
  std::string pod;       // NAMESPACE/NAME
  std::string workload;  // whose history it has
  std::string peak;
  bool measured = false;  // false: an estimate from requests and limits
};

// One resource of one node. Empty texts: not known, or not said on this page.
struct ResourceUseView {
  std::string name;
  std::string state;  // "fresh", "stale", "absent"
  std::optional<int64_t> age_seconds;
  std::string capacity, ceiling, now, peak, headroom;
  std::optional<double> now_share, peak_share;
  std::string sum_of_peaks, peak_of_sum, peak_slot, system;
  std::vector<PodUseView> pods;  // highest peak first
  std::vector<double> curve;     // by slot of the window, in base units
};

// What is assumed of the node's kubelet.
struct KubeletSettingView {
  std::string name;
  std::string value;
  std::string from;  // "object", "label", "configuration"
};

struct NodeUseView {
  std::string name;
  std::vector<KubeletSettingView> kubelet;  // empty: it is not predicted
  std::optional<int64_t> fits;              // how many more pods of the size asked about
  std::string unrequested_cpu, unrequested_memory;
  int64_t slot_seconds = 0;
  std::string no_usage;  // why there are no resources
  std::vector<ResourceUseView> resources;
};

struct UsageTopView {
  std::string by;
  std::string check;  // "on", "off", "stepsAside", "reportsOnly"
  double stale_share = 0;
  int64_t nodes = 0;
  std::optional<int64_t> fits;
  std::vector<NodeUseView> top;
};

// Of /debug/usage, and of /debug/nodes/NAME; the latter has no resources where nobody looks at usage.
StatusOr<UsageTopView> DecodeUsageTop(std::string_view json);
StatusOr<NodeUseView> DecodeNodeUse(std::string_view json);

}  // namespace huygens::cli
