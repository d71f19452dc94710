// Why the check of real use refuses a node, with the figures that it goes by and what would fit instead. Worked out when
// somebody asks, never on the way of a pod. Decision thread only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/resource.h"
#include "base/time.h"
#include "placement/placement.h"
#include "policy/reason.h"

namespace huygens::admin {

// What a node lacks of one resource for the week of a pod, of which the check goes by its slots: the peaks that are
// named need not be in the same one.
struct UsageShortage {
  std::string resource;
  ResourceId unit = kCpu;  // its amounts are those of this resource
  usage::NodeUse use;
  Duration age{};            // of what was measured last, if anything was
  Duration stale_after{};    // how old it may be
  int64_t needs = 0;         // at the pod's own peak
  std::string estimated;     // how that was, where nothing is measured yet
  bool own_ceiling = false;  // it is the node's own, by annotation
  std::string peak_at;       // when the others' peak was last, UTC: "Wed 14:15"; empty: nobody can say
  std::optional<usage::NodeFigures::PodUse> largest;  // of the pods there, the one with the highest peak of its own
  std::optional<int64_t> own_over;  // what runs beside the pods, by itself, where that is above the ceiling already
  std::string also;                 // other resources of which there is too little: "memory, pods"
  // How much a pod could use at its peak for the node to stay under the ceiling, the others being as they are; and
  // where nothing is measured yet, what it could request and be limited to for that, in whole CPUs if it is due zones of
  // the node, which it would lose else. Not of kUsageUnknown.
  std::optional<int64_t> room, as_request;
};

bool IsOfUsage(policy::Reason reason);

// The first resource for which the node is refused, with the names of the others. `demand`: of `pod`. Nothing where
// none is.
std::optional<UsageShortage> UsageShortageOf(const placement::Placement& placement, const cluster::Pod& pod,
                                             const usage::Demand& demand, policy::Reason reason,
                                             cluster::NodeIndex node, Time now);

// "cpu: 2550m for the pod, ..., beside a peak of 12300m (Wed 14:15; ...), where 12800m of 16 are allowed
// (usage.resources); up to 588m requested and as limit would stay under it".
std::string UsageText(const UsageShortage& shortage, policy::Reason reason);

}  // namespace huygens::admin
