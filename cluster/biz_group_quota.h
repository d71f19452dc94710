// The budget of a business group (BizGroupResourceQuota, quota.huygens.dev/v1alpha1) as the API server stores it, and
// the labels by which a pod or a workload names its group. Plain values, filled by wire/. Amounts are exact, by key
// ("limits.cpu.A4"); quota/ knows what keys mean.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/quantity.h"
#include "base/time.h"

namespace huygens::cluster {

// An amount per key, ordered by key, each key once.
using QuotaAmounts = std::vector<std::pair<std::string, Quantity>>;

struct BizGroupQuota {
  std::string name;
  std::string uid;
  std::string parent;      // spec.parentBizGroup; empty = a root
  bool deleting = false;   // deletionTimestamp is set
  QuotaAmounts hard;       // spec.hard
  QuotaAmounts used;       // status.used, as the controller last wrote it
  QuotaAmounts self_used;  // status.selfUsed
  std::optional<Time> last_reconcile;
  std::string defect;  // why the object cannot be used ("spec.hard.cpu: ..."); empty = usable
};

struct QuotaLabels {
  std::string group;      // empty = the pod belongs to no group
  std::string cpu_model;  // empty = any
  std::string gpu_model;
  std::string memory_model;
  friend bool operator==(const QuotaLabels&, const QuotaLabels&) = default;
};

inline constexpr std::string_view kQuotaGroupLabel = "biz.group.resource.quota";

// Takes in one label of an object: kQuotaGroupLabel, and below it /cpu-type, /gpu-type, /memory-type. Others
// change nothing.
inline void TakeQuotaLabel(std::string_view key, std::string_view value, QuotaLabels& labels) {
  if (!key.starts_with(kQuotaGroupLabel)) return;
  key.remove_prefix(kQuotaGroupLabel.size());
  if (key.empty()) labels.group = value;
  if (key == "/cpu-type") labels.cpu_model = value;
  if (key == "/gpu-type") labels.gpu_model = value;
  if (key == "/memory-type") labels.memory_model = value;
}

}  // namespace huygens::cluster
