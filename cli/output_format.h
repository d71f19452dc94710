// -o table|json, --admin-url and --token-file, shared by the commands that print what a running huygens says.
#pragma once

#include "absl/flags/declare.h"
#include "base/status.h"
#include "cli/remote.h"

ABSL_DECLARE_FLAG(std::string, o);
ABSL_DECLARE_FLAG(std::string, admin_url);
ABSL_DECLARE_FLAG(std::string, token_file);

namespace huygens::cli {

enum class OutputFormat { kTable, kJson };
// What the flag says.
StatusOr<OutputFormat> OutputFlag();
// The admin server that the flags name.
StatusOr<Remote> OpenAdmin();

}  // namespace huygens::cli
