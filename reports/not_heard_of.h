// The line above whatever rests on objects of which huygens has heard nothing for a while. Pure; any thread.
#pragma once

#include <string>
#include <vector>

#include "admin_api/not_heard_of.h"

namespace huygens::reports {

// "! huygens has not heard of nodes and pods for 272 s (GET https://...: no connection in time): what follows is that
// old.", with a line end; empty where it hears of all.
std::string NotHeardText(const std::vector<admin_api::NotHeardOf>& kinds);

}  // namespace huygens::reports
