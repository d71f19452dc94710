// huygens rules compile.
#pragma once

#include "rule_reports/rule_files.h"

namespace huygens::cli {

// Prints the policies, and to standard error what cannot be one; the exit code.
int PrintCompiledRules(const rule_reports::RuleFiles& files);

}  // namespace huygens::cli
