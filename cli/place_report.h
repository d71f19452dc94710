// What `huygens place` prints.
#pragma once

#include <string>
#include <vector>

#include "cli/stand_in_scheduler.h"

namespace huygens::cli {

std::string PlaceTable(const std::vector<PodOutcome>& outcomes);
// {"pods":[{"pod","uid","node"?,"score"?,"zones":[{"name","amount":{"cpu":"4"}}],"message"?,"error"?,
//           "notUnderstood"?:[text],"refused":[{"node","reason"}]}]}
std::string PlaceJson(const std::vector<PodOutcome>& outcomes);

}  // namespace huygens::cli
