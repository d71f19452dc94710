#include "cli/service_command.h"

#include <string>

#include "absl/flags/flag.h"
#include "cli/command.h"
#include "settings/yaml.h"

ABSL_FLAG(std::string, config, "", "configuration file of `huygens extender`");

namespace huygens::cli {

int RunService(std::string_view command, std::span<const std::string_view> arguments, StartConfigured start) {
  if (!arguments.empty()) return UsageError(command, Concat("unexpected argument ", arguments[0], "; see --help"));
  const std::string path = absl::GetFlag(FLAGS_config);
  if (path.empty()) {
    return UsageError(command, "--config FILE is needed; `huygens config defaults` prints one to start from");
  }
  const StatusOr<settings::Configuration> configuration = settings::LoadConfiguration(path);
  if (!configuration.ok()) return UsageError(command, Message(configuration.status()));

  const admin::ProcessOptions process{.log_level = configuration->log.level,
                                      .log_format = configuration->log.format,
                                      .lame_duck = configuration->server.lame_duck,
                                      .grace = configuration->server.shutdown_grace};
  const bool served = admin::RunProcess(process, [&](net::EventLoop& loop, observe::Log& log, const Clock& clock) {
    return start(*configuration, loop, log, clock);
  });
  return served ? kOk : kFailed;
}

}  // namespace huygens::cli
