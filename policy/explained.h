// Reasons as people are told of them, who may be told more than kube-scheduler: its texts stay as they are
// (policy/reason.h). Pure; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "policy/reason.h"

namespace huygens::policy {

// Its text and what sets it apart: unique. "node(s) had insufficient resource of NUMA node: too small even when empty".
std::string Explained(Reason reason);
// The reason of which this is what Explained says; nothing if there is none.
std::optional<Reason> ReasonExplainedAs(std::string_view text);
// What has to change where neither pods that end nor time that passes cure it, e.g. "the pod must ask for less, or
// larger nodes must come"; empty where waiting may help.
std::string_view MustChange(Reason reason);
// What an operator can do about it where no figures are known, one sentence or more; empty for kFits.
std::string_view Advice(Reason reason);

}  // namespace huygens::policy
