// huygens extender: reads the configuration and serves until a signal ends it.
#include "cli/command.h"
#include "cli/service_command.h"
#include "extender/extender.h"

namespace huygens::cli {

namespace {

int Run(std::span<const std::string_view> arguments) {
  return RunService("extender", arguments, extender::StartExtender);
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
