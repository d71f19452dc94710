// /debug/reschedule for people: `huygens reschedule plan|status|report`. Pure; any thread.
#pragma once

#include <string>

#include "admin_api/reschedule_document.h"

namespace huygens::reports {

// What would be moved next, in this order, and what holds it; and what nothing can be done about.
std::string ReschedulePlanText(const admin_api::RescheduleDocument& document);
// Moves under way and the last that ended.
std::string RescheduleStatusText(const admin_api::RescheduleDocument& document);
// One line for `explain POD` ("shop/cart-x"): why it moves or does not; empty: there is nothing to say.
std::string RescheduleLine(const admin_api::RescheduleDocument& document, const std::string& pod);

}  // namespace huygens::reports
