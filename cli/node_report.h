// What `huygens explain node/NAME` prints of a node's zones: what each can give, who holds it, and what is wrong with
// its topology object. Pure; any thread.
#pragma once

#include <string>

#include "cli/node_view.h"

namespace huygens::cli {

std::string NodeZonesText(const NodeZonesView& node);

}  // namespace huygens::cli
