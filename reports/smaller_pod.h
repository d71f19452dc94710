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
std::string ZoneHolds(NodesOfReason nodes, bool empty);

// Likewise under ceilings of use: " of 588m cpu or less, as its limit, too (so much n2 takes now)".
std::string CeilingHolds(NodesOfReason nodes);

}  // namespace huygens::reports
