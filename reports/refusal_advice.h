// What `huygens explain` advises against one reason for which nodes refuse a pod, by the figures of these nodes. Pure;
// any thread.
#pragma once

#include <string>
#include <string_view>

#include "admin_api/quota_document.h"
#include "policy/reason.h"
#include "reports/smaller_pod.h"

namespace huygens::reports {

// One sentence or more. `pod`: NAMESPACE/NAME. `node`: the first that gives the reason. `now`: what is said now of those
// that give it still; none: nothing is known. `quota_now`: null: nothing is known.
std::string RefusalAdvice(policy::Reason reason, std::string_view pod, std::string_view node, NodesOfReason now,
                          const admin_api::PodQuotaDocument* quota_now);

}  // namespace huygens::reports
