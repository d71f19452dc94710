// What `huygens explain` says to whoever wants to end a refusal by a business group. Pure; any thread.
#pragma once

#include <string>

#include "admin_api/quota_document.h"
#include "policy/reason.h"

namespace huygens::reports {

// `advice` on this reason (policy::Advice), with the groups and figures that are known instead of those that stand for
// any.
std::string QuotaAdvice(policy::Reason reason, const admin_api::PodQuotaDocument& quota, std::string advice);

// What has to change before its group lets in a pod that asks for more than the group may ever spend, and what stands
// in its way besides.
std::string BudgetMustChange(const admin_api::PodQuotaDocument& quota);

}  // namespace huygens::reports
