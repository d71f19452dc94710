// Workloads as the simulated API server keeps them, the JSON that they are sent as, and what they take, counted plainly.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"
#include "cluster/biz_group_quota.h"

namespace huygens::simulation {

inline constexpr std::string_view kGroups = "BizGroupResourceQuota";
inline constexpr std::string_view kDeployments = "Deployment";
inline constexpr std::string_view kReplicaSets = "ReplicaSet";
inline constexpr std::string_view kJobs = "Job";
inline constexpr std::string_view kPods = "Pod";
inline constexpr std::string_view kTransfers = "QuotaTransfer";
inline constexpr std::string_view kAllKinds[] = {kGroups, kDeployments, kReplicaSets, kJobs, kPods, kTransfers};

struct Workload {
  std::string kind, name, uid;
  uint64_t version = 0;
  std::string group, model;    // labels; empty: none
  int64_t replicas = 1;        // not of pods; of Jobs: parallelism
  int64_t milli_cores = 1000;  // limit of each pod
  std::string owner_kind, owner_uid;
  bool deleting = false;
  // Of Jobs.
  int64_t completions = 0, succeeded = 0;
  bool complete = false;
  // Of pods.
  std::string node;
  std::optional<Time> scheduled, ended;

  bool finished() const { return ended.has_value(); }
};

std::string_view ApiGroupOf(std::string_view kind);
std::string_view ResourceOf(std::string_view kind);  // "deployments"

std::string Json(const Workload& workload);
std::string ScaleJson(const Workload& workload, int64_t replicas);
// Without its status.
std::string Json(const cluster::BizGroupQuota& group);

// Thousandths by key of a budget.
using Plain = std::map<std::string, int64_t, std::less<>>;
Plain PlainOf(const cluster::QuotaAmounts& amounts);
cluster::QuotaAmounts AmountsOf(const Plain& plain);
// Of all its pods; of one that has ended nothing.
Plain UseOf(const Workload& workload);
std::string Text(const Plain& plain);

}  // namespace huygens::simulation
