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

// How many nodes a filter did not refuse.
size_t Feasible(const admin_api::DecisionDocument& filter);

// "3 nodes"
std::string NodesText(size_t count);

// What came of it: "to numa-3", "0 of 4 nodes could take it", or why it failed.
std::string SummaryText(const admin_api::DecisionDocument& decision);

}  // namespace huygens::reports
