// Whether a pod that filter refused need only wait, for `huygens explain`. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

#include "admin_api/decision_document.h"
#include "admin_api/pod_document.h"
#include "admin_api/quota_document.h"

namespace huygens::reports {

// When kube-scheduler tries again, and what has to change first if waiting alone is in vain. `pod_now` and `quota_now`
// are what huygens says of the pod now; null: nothing. Where kube-scheduler should have asked again long since, why it
// may not have.
std::string WhenAgain(const admin_api::DecisionDocument& filter, Time now, const admin_api::PodDocument* pod_now,
                      const admin_api::PodQuotaDocument* quota_now);

// Of nodes that kube-scheduler did not ask about, with those of them that would take the pod by what huygens looks at.
// A line or two; empty where huygens knows of none.
std::string NotAskedText(const admin_api::DecisionDocument& filter, const admin_api::PodDocument* pod_now);

}  // namespace huygens::reports
