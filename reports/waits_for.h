// What a refused pod waits for, in the words of whoever could bring it, for `huygens explain`. Pure; any thread.
#pragma once

#include <string>

#include "admin_api/decision_document.h"
#include "admin_api/pod_document.h"
#include "admin_api/quota_document.h"

namespace huygens::reports {

// "Waits for: a zone with 4 cpu free on numa-4, or on one of 2 more nodes; or less use on numa-3.", a line, for a pod
// that time or pods that end may help; empty where nothing of that is known. Null as in WhatToDo.
std::string WaitsFor(const admin_api::DecisionDocument& filter, const admin_api::PodDocument* pod_now,
                     const admin_api::PodQuotaDocument* quota_now);

}  // namespace huygens::reports
