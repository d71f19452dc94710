// What `huygens usage top` and `huygens explain node/NAME` print. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

#include "base/time.h"
#include "cli/usage_view.h"

namespace huygens::cli {

// `size`: what was asked to fit, "cpu=2,memory=4Gi"; may be empty.
std::string UsageTopText(const UsageTopView& top, std::string_view size);

// The node's figures, its pods that use most, and its week: one line a day (UTC), one character an hour, the highest
// use in it against the ceiling, or where there is none against the highest hour. `now` says which hour is which.
std::string NodeUseText(const NodeUseView& node, Time now);

}  // namespace huygens::cli
