// What `huygens explain` says of a pod that was resized in place beyond its zones. Pure; any thread.
#pragma once

#include <string>

#include "admin_api/pod_document.h"

namespace huygens::reports {

// One line, which says what it asks, what its zones can give and what to do; empty for a pod that fits its zones.
std::string OutgrownLine(const admin_api::PodDocument& pod);

}  // namespace huygens::reports
