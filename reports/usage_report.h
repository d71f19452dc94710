// What `huygens usage top` and `huygens explain node/NAME` print. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

#include "admin_api/node_document.h"
#include "base/time.h"

namespace huygens::reports {

// `size`: what was asked to fit, "cpu=2,memory=4Gi"; may be empty.
std::string UsageTopText(const admin_api::UsageTopDocument& top, std::string_view size);

// The node's figures, its pods that use most, and its week: one line a day (UTC), one character an hour, the highest
// use in it against the ceiling, or where there is none against the highest hour. `now` says which hour is which.
std::string NodeUseText(const admin_api::NodeDocument& node, Time now);

}  // namespace huygens::reports
