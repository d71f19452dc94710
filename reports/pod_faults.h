// Of what nobody understands of a pod (PodDocument::not_understood): which refusals it may have caused. Pure; any
// thread.
#pragma once

#include <string_view>

#include "admin_api/pod_document.h"
#include "policy/reason.h"

namespace huygens::reports {

// Whether the node might not give this reason were the annotation or label understood: a misspelt label of a budget is
// no cause of full zones, and whoever asks for cores in vain asks for less than he meant. `now`: what is said of the
// node now; null: nothing.
bool MayCause(std::string_view fault, policy::Reason reason, const admin_api::PodDocument::Node* now);

// Whether any of the pod's may.
bool AnyMayCause(const admin_api::PodDocument& pod, policy::Reason reason, const admin_api::PodDocument::Node* now);

}  // namespace huygens::reports
