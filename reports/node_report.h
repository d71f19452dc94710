// What `huygens explain node/NAME` prints of a node's zones: what each can give, who holds it, and what is wrong with
// its topology object. Pure; any thread.
#pragma once

#include <string>
#include <vector>

#include "admin_api/node_document.h"
#include "base/time.h"

namespace huygens::reports {

// What a pod holds of zones: "node0: 8 cpu, node1: 2 cpu".
std::string ToText(const std::vector<admin_api::ZoneShare>& zones);

// `now`: to say how long ago something was.
std::string NodeZonesText(const admin_api::NodeDocument& node, Time now);

}  // namespace huygens::reports
