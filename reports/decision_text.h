// Parts of a decision in words. Pure; any thread.
#pragma once

#include <string>
#include <vector>

#include "admin_api/decision_document.h"

namespace huygens::reports {

// "node0: 8 cpu 1Gi memory"
std::string ZonesText(const std::vector<admin_api::DecisionDocument::Zone>& zones);

// What checks that only report would have said: "usage: node(s) would exceed the usage ceiling".
std::string ReportsText(const admin_api::DecisionDocument::Reports& reports);

}  // namespace huygens::reports
