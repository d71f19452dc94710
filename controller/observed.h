// What the watches show of one group's part of the cluster, as the recount wants it: plain values, so that it does not
// matter who watches.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "base/time.h"
#include "cluster/biz_group_quota.h"
#include "quota/amounts.h"
#include "quota/cash.h"

namespace huygens::controller {

// A workload that names the group, or one of its children.
struct ObservedObject {
  std::string uid;
  std::string kind;  // with the API group: "Deployment.apps", "Pod"; cluster::kGroupKind
  std::string namespace_name, name;
  quota::Amounts usage;  // of a child what it takes of its parent (quota::Commitment)
};

// A pod of the group, or one that was until `span.end`. A pod whose workload came from another group, or whose amounts
// changed, starts anew then.
struct CountedPod {
  std::string uid;
  quota::PodSpan span;
  quota::Amounts usage;
};

// Whose name it is now, and since when that is known.
struct NameHolder {
  std::string uid;
  Time since;
};
// Nothing: nobody has this name.
using HolderOf = absl::FunctionRef<std::optional<NameHolder>(const cluster::QuotaReservation& reservation)>;

}  // namespace huygens::controller
