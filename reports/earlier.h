// Earlier decisions on a pod, newest first. Pure; any thread.
#pragma once

#include <span>
#include <string>

#include "admin_api/decision_document.h"

namespace huygens::reports {

// A table; of decisions that say what the one after them of their verb said, only how many there are and since when.
std::string EarlierText(std::span<const admin_api::DecisionDocument* const> decisions);

}  // namespace huygens::reports
