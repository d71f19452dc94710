// How much less a refused pod would have to ask for, by the figures of the nodes that refuse it. Pure; any thread.
#pragma once

#include <span>
#include <string>

#include "admin_api/pod_document.h"

namespace huygens::reports {

using NodesOfReason = std::span<const admin_api::PodDocument::Node* const>;

// " of 5 cpu or less (so much is free in node1 of n2)": the most that zones of any of these nodes have free, or, of
// `empty` ones, would have if nobody were there. Empty where nothing is known, nothing is left, or it is not for want of
// such amounts that they refuse the pod.
// A ceiling of use that would refuse the pod, too, counts.
std::string ZoneHolds(NodesOfReason nodes, bool empty);
// Both, as " of 15 cpu or less (so much is free now in node0 of n2), or of 16 cpu or less once pods there end (so much
// has the largest zone, node1 of n2)"; where both are the same the second alone, as ZoneHolds says it.
std::string ZoneHoldsNowOrEmpty(NodesOfReason nodes);

// Likewise under ceilings of use: " of 588m cpu or less, as its limit, too (so much n2 takes now)".
std::string CeilingHolds(NodesOfReason nodes);

}  // namespace huygens::reports
