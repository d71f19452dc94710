// How findings are shown: to people and to programs. Pure; any thread.
#pragma once

#include <string>

#include "preflight/finding.h"

namespace huygens::preflight {

// By group; each finding with its severity, why it matters, and what mends it; the counts last.
std::string ReportText(const Findings& findings);
// {"findings": [{"group", "severity", "what", "why", "mend"}, ...], "ok": 1, "warnings": 2, "errors": 3}
std::string ReportJson(const Findings& findings);

}  // namespace huygens::preflight
