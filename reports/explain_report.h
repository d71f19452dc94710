// What `huygens explain` prints: the newest attempt to place a pod in full, the ones before it in a line each. Pure;
// any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "admin_api/decision_document.h"
#include "admin_api/pod_document.h"
#include "admin_api/quota_document.h"
#include "base/time.h"

namespace huygens::reports {

// `decisions`: at least one, newest first. `now` turns times into "2m ago". `pod_now`: figures for reasons that are
// still the same, and why there are no zones; null: the server does not know the pod any more. `quota_now`: likewise of
// its business group; null where that did not refuse it. `left_above`: LeftAboveText, maybe empty.
std::string ExplainText(const std::vector<admin_api::DecisionDocument>& decisions, Time now,
                        const admin_api::PodDocument* pod_now = nullptr,
                        const admin_api::PodQuotaDocument* quota_now = nullptr, std::string_view left_above = "");

}  // namespace huygens::reports
