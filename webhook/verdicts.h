// The judges of this room, one per subject, and the refusals that they share. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

#include "quota/amounts.h"
#include "webhook/judgement.h"
#include "workloads/object.h"

namespace huygens::webhook {

Judgement Refuse(std::string_view message);
Judgement NotYet(std::string_view message);
// The same where a watch is behind.
Judgement NotKnownYet(std::string_view message);

Judgement JudgeGroup(const AdmissionRequest& request, const Facts& facts, const Rules& rules);

// `before`: null where there was none.
Judgement JudgeWorkload(const workloads::WorkloadObject* before, const workloads::WorkloadObject& after,
                        const Facts& facts, const Rules& rules);
Judgement JudgeScale(const AdmissionRequest& request, const Facts& facts, const Rules& rules);
Judgement JudgeAutoscaler(const AdmissionRequest& request, const Facts& facts, const Rules& rules);

// Of the group and those above it the nearest that is not there; empty: all are. Of a circle none lacks.
std::string MissingGroup(const quota::Tree& tree, std::string_view group);

// Adds the change of what the group, if it is there, limits.
void AddChange(const quota::Tree& tree, std::string_view group, const quota::Amounts& amounts, Judgement& judgement);

}  // namespace huygens::webhook
