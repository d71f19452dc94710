// huygens-agent run: reads the configuration and serves the node until a signal ends it.
#include <malloc.h>

#include <string>

#include "absl/flags/flag.h"
#include "admin/process.h"
#include "agent/agent.h"
#include "agent/command.h"
#include "agent/configuration.h"
#include "base/text.h"

ABSL_FLAG(std::string, config, "", "configuration file of `huygens-agent run`");

namespace huygens::agent {

namespace {

// What is freed goes back to the machine, whichever thread had it: the agent is to be small, not fast. Before any thread.
void KeepLittleMemory() {
  // NOLINTBEGIN(concurrency-mt-unsafe)
  mallopt(M_ARENA_MAX, 1);
  mallopt(M_MMAP_THRESHOLD, 64 << 10);
  mallopt(M_TRIM_THRESHOLD, 128 << 10);
  // NOLINTEND(concurrency-mt-unsafe)
}

int RunAgent(std::span<const std::string_view> arguments) {
  if (!arguments.empty()) return UsageError("run", Concat("unexpected argument ", arguments[0], "; see --help"));
  const std::string path = absl::GetFlag(FLAGS_config);
  if (path.empty())
    return UsageError("run", "--config FILE is needed; `huygens-agent config defaults` prints one to start from");
  const StatusOr<AgentConfiguration> configuration = LoadAgentConfiguration(path);
  if (!configuration.ok()) return UsageError("run", Message(configuration.status()));
  KeepLittleMemory();
  const admin::ProcessOptions process{.log_level = configuration->log.level, .log_format = configuration->log.format};
  const bool served = admin::RunProcess(process, [&](net::EventLoop& loop, observe::Log& log, const Clock& clock) {
    return StartAgent(*configuration, loop, log, clock);
  });
  return served ? program::kOk : program::kFailed;
}

constexpr std::string_view kRunFlags[] = {"config"};

}  // namespace

const program::Command kRunCommand = {"run", "serve the node until a signal ends it",
                                      R"(Usage: huygens-agent run --config FILE

Serves the node that it runs on: tells the cluster of its zones, as docs/agent.md
says. It is meant to be a DaemonSet. /healthz, /readyz and /metrics are at
adminAddress. FILE is an AgentConfiguration: `huygens-agent config defaults` prints
one.

Exit codes: 0 stopped by a signal, 1 could not start (the log says why), 2 the
configuration cannot be used, 3 out of memory.
)",
                                      kRunFlags, RunAgent};

}  // namespace huygens::agent
