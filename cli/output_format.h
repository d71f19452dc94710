// -o table|json, shared by the commands that print results.
#pragma once

#include "absl/flags/declare.h"
#include "base/status.h"

ABSL_DECLARE_FLAG(std::string, o);
ABSL_DECLARE_FLAG(std::string, admin_url);

namespace huygens::cli {

enum class OutputFormat { kTable, kJson };
// What the flag says.
StatusOr<OutputFormat> OutputFlag();

}  // namespace huygens::cli
