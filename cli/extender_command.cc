// huygens extender: reads the configuration and serves until a signal ends it.
#include <string>

#include "absl/flags/flag.h"
#include "admin/process.h"
#include "cli/command.h"
#include "extender/extender.h"
#include "settings/yaml.h"

ABSL_FLAG(std::string, config, "", "configuration file of `huygens extender`");

namespace huygens::cli {

namespace {

int Run(std::span<const std::string_view> arguments) {
  constexpr std::string_view kName = "extender";
  if (!arguments.empty()) return UsageError(kName, Concat("unexpected argument ", arguments[0], "; see --help"));
  std::string path = absl::GetFlag(FLAGS_config);
  if (path.empty())
    return UsageError(kName, "--config FILE is needed; `huygens config defaults` prints one to start from");
  StatusOr<settings::Configuration> configuration = settings::LoadConfiguration(path);
  if (!configuration.ok()) return UsageError(kName, Message(configuration.status()));

  const admin::ProcessOptions process{.log_level = configuration->log.level,
                                      .log_format = configuration->log.format,
                                      .lame_duck = configuration->server.lame_duck,
                                      .grace = configuration->server.shutdown_grace};
  const bool served = admin::RunProcess(process, [&](net::EventLoop& loop, observe::Log& log, const Clock& clock) {
    return extender::Extender::Start(*configuration, loop, log, clock);
  });
  return served ? kOk : kFailed;
}

constexpr std::string_view kFlags[] = {"config"};

}  // namespace

const Command kExtenderCommand = {
    "extender", "serve filter, prioritize, preempt and bind to kube-scheduler",
    "Usage: huygens extender --config FILE\n\n"
    "Serves the four verbs of a scheduler extender (POST /filter, /prioritize, /preempt, /bind) and, on the admin "
    "address, /healthz,\n"
    "/readyz, /metrics and /debug. SIGTERM drains: for server.lameDuck it goes on serving, not ready\n"
    "any more; then requests under way are finished within server.shutdownGrace. SIGINT, or a second signal, skips "
    "the former.\n\n"
    "  huygens config defaults > extender.yaml   # every field with its default and a comment\n"
    "  huygens config check extender.yaml\n"
    "  huygens extender --config extender.yaml\n\n"
    "Exit codes: 0 stopped by a signal, 1 could not start (the log says why), 2 the configuration cannot be used, "
    "3 out of memory.\n",
    kFlags, Run};

}  // namespace huygens::cli
