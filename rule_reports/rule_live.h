// huygens rules diff -f FILE and explain OBJECT: rules and the objects of a cluster as they are.
#pragma once

#include <string>

#include "base/status.h"
#include "base/time.h"
#include "rule_reports/api_call.h"
#include "rule_reports/rule_cluster.h"
#include "rule_reports/rule_files.h"

namespace huygens::rule_reports {

// What would change of pods and nodes if the rules of the files were applied to the cluster.
StatusOr<std::string> LiveDifference(const ApiCall& api, const RuleFiles& files, Time now);
// Which rule gave which field of the object, why each other did not, and what the object lacks.
StatusOr<std::string> LiveExplanation(const ApiCall& api, const ObjectName& object, Time now);

}  // namespace huygens::rule_reports
