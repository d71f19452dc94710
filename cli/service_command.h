// What the subcommands that serve until a signal ends them have in common: --config, the life of the process, and the
// exit codes.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "admin/process.h"
#include "settings/configuration.h"

namespace huygens::cli {

using StartConfigured = absl::FunctionRef<StatusOr<std::unique_ptr<admin::RunningService>>(
    const settings::Configuration& configuration, net::EventLoop& loop, observe::Log& log, const Clock& clock)>;

// Returns when the service has ended. `arguments` should be none.
int RunService(std::string_view command, std::span<const std::string_view> arguments, StartConfigured start);

}  // namespace huygens::cli
