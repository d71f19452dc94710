// What a review proves by itself, without anything that is known of the cluster: that what it asks for takes nothing.
// Until all lists have come, nothing else can be allowed. Pure; any thread.
#pragma once

#include "base/resource.h"
#include "webhook/admission_review.h"
#include "webhook/judgement.h"

namespace huygens::webhook {

// False: that is not proven, or not so.
bool TakesNothing(const AdmissionRequest& request, const ResourceNames& names, const Rules& rules);

}  // namespace huygens::webhook
