// What an operator can do about each reason for which filter refused a pod, for `huygens explain`. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

#include "admin_api/decision_document.h"
#include "admin_api/pod_document.h"
#include "admin_api/quota_document.h"

namespace huygens::reports {

// A line for each piece of advice, those for the most nodes first, with the names that are known; empty where none is
// due. It goes by the reasons of now where they are known (reports/nodes_now.h). `pod_now`, `quota_now`: what huygens says
// of the pod now; null: nothing. `left_above`: LeftAboveText. `of_gang`: its gang found no room as a whole.
std::string WhatToDo(const admin_api::DecisionDocument& filter, const admin_api::PodDocument* pod_now,
                     const admin_api::PodQuotaDocument* quota_now, std::string_view left_above, bool of_gang);

}  // namespace huygens::reports
