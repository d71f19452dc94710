// Real use as the /debug pages show it (docs/usage.md): JSON appended to a string. Amounts are Kubernetes quantities,
// shares are of the node's real allocatable. Decision thread only.
#pragma once

#include <span>
#include <string>

#include "placement/placement.h"

namespace huygens::admin {

// One resource of one node:
//   {"state":"fresh"|"stale"|"absent","ageSeconds"?:12,"capacity"?:"32","ceiling"?:"25600m","now"?:"10","peak":"21",
//    "measuredPeak"?:"18","nowShare"?:0.31,"peakShare"?:0.66,"headroom"?:"4600m"}
// `now` is there while the figures are fresh. `peak` is what the check goes by: predicted use, where that is not fresh
// the estimates of the pods; `measuredPeak`, where it is less, leaves out what is estimated of young pods; `headroom`
// what the ceiling leaves of `peak`, possibly below 0.
void AppendUse(std::string& out, const usage::NodeUse& use, ResourceId resource, Time now);

// Of /debug/nodes/NAME, with a comma before it:
//   "usage":{"slotSeconds":900,"resources":[{"resource":"cpu",<as above>,"sumOfPeaks","peakOfSum","peakSlot","system",
//    "reserved"?,"estimates","pods":[{"pod","workload","peak","measured"}],"curve":[..]}]}
// `peakSlot`, such as "Wed 14:15", is when that slot was last, UTC; `curve` has one number (milli-cores, bytes, units)
// per slot of the window, at position floor(Unix time / slotSeconds) mod length.
void AppendUsage(std::string& out, const placement::Placement& placement, cluster::NodeIndex node,
                 std::span<const usage::NodeFigures> figures, Time now);

// Why no resource is looked at: what is missing in the configuration.
std::string_view WhyNoUsage(const placement::Options& options);

}  // namespace huygens::admin
