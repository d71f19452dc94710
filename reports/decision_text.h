// Parts of a decision in words. Pure; any thread.
#pragma once

#include <string>
#include <vector>

#include "admin/decision_document.h"

namespace huygens::reports {

// "node0: 8 cpu 1Gi memory"
std::string ZonesText(const std::vector<admin::DecisionDocument::Zone>& zones);

// What checks that only report would have said: "usage: node(s) would exceed the usage ceiling".
std::string ReportsText(const admin::DecisionDocument::Reports& reports);

}  // namespace huygens::reports
