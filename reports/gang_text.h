// What a pod of a gang (spec.schedulingGroup) is told of its gang. Pure; any thread.
#pragma once

#include <string>

#include "admin_api/decision_document.h"
#include "admin_api/pod_document.h"

namespace huygens::reports {

// By the last filter that it was asked about with. Empty where it got a node and no other pod of its gang waits for one.
std::string GangText(const admin_api::DecisionDocument& filter, const admin_api::PodDocument& pod);

// Where it was not asked about: kube-scheduler may have given its gang up at another pod of it.
std::string UndecidedGangText(const admin_api::PodDocument& pod);

}  // namespace huygens::reports
