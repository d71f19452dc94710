// What a pod of a gang (spec.schedulingGroup) is told of its gang. Pure; any thread.
#pragma once

#include <string>

#include "admin_api/decision_document.h"
#include "admin_api/pod_document.h"

namespace huygens::reports {

// Whether other pods of its gang are known to wait for a node.
bool GangWaits(const admin_api::PodDocument& pod);

// Under "What to do", where its gang found no room as a whole.
std::string GangAdvice();

// By the last filter that it was asked about with.
std::string GangText(const admin_api::DecisionDocument& filter, const admin_api::PodDocument& pod);

// Where it was not asked about: kube-scheduler may have given its gang up at another pod of it.
std::string UndecidedGangText(const admin_api::PodDocument& pod);

}  // namespace huygens::reports
