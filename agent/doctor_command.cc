// huygens-agent doctor [POD]: gathers what is known on this node and says why who is pinned or not.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "absl/flags/declare.h"
#include "absl/flags/flag.h"
#include "agent/command.h"
#include "agent/configuration.h"
#include "agent/pin_diagnosis.h"
#include "base/read_file.h"
#include "base/text.h"
#include "pinning/state_text.h"
#include "runtime/cri_runtime.h"

ABSL_DECLARE_FLAG(std::string, config);

namespace huygens::agent {

namespace {

std::optional<std::string> KubeletPolicy(const std::string& directory) {
  const StatusOr<std::string> text = ReadFile(Concat(directory, "/cpu_manager_state"), "kubelet's state", 64);
  if (!text.ok()) return std::nullopt;
  const StatusOr<pinning::StateText> state = pinning::DecodeState(*text);
  if (!state.ok()) return std::nullopt;
  return state->policy;
}

StatusOr<std::vector<ContainerFacts>> Containers(runtime::ContainerRuntime& runtime) {
  HUYGENS_ASSIGN_OR_RETURN(std::vector<runtime::Container> all, runtime.List());
  std::vector<ContainerFacts> facts;
  for (runtime::Container& each : all) {
    StatusOr<runtime::Cpuset> kernel = NotFound("it does not run");
    if (each.state == runtime::ContainerState::kRunning) kernel = runtime.ReadCpuset(each.id);
    facts.push_back({std::move(each), std::move(kernel)});
  }
  return facts;
}

int RunDoctor(std::span<const std::string_view> arguments) {
  if (arguments.size() > 1) return UsageError("doctor", "one pod at most; see --help");
  AgentConfiguration configuration;
  if (const std::string path = absl::GetFlag(FLAGS_config); !path.empty()) {
    StatusOr<AgentConfiguration> loaded = LoadAgentConfiguration(path);
    if (!loaded.ok()) return UsageError("doctor", Message(loaded.status()));
    configuration = *std::move(loaded);
  }
  StatusOr<machine::Machine> machine = machine::ReadMachine(configuration.root);
  if (!machine.ok()) {
    UsageError("doctor", Message(machine.status()));
    return program::kFailed;
  }
  if (configuration.node_name.empty()) {
    const char* const name =
        std::getenv("NODE_NAME");  // NOLINT(concurrency-mt-unsafe): nothing here changes the environment
    if (name != nullptr) configuration.node_name = name;
  }
  const PinConfiguration& pin = configuration.pin;
  runtime::CriRuntime runtime(pin.runtime_socket);
  const PinDiagnosis diagnosis = Diagnose({.pod = arguments.empty() ? "" : std::string(arguments[0]),
                                           .node_name = configuration.node_name,
                                           .machine = *std::move(machine),
                                           .kubelet_policy = KubeletPolicy(configuration.kubelet.directory),
                                           .runtime_socket = pin.runtime_socket,
                                           .nri_socket = pin.nri_socket,
                                           .nri_there = ::access(pin.nri_socket.c_str(), F_OK) == 0,
                                           .state = pinner::StateStore(pin.state_file).Look(),
                                           .state_file = pin.state_file,
                                           .containers = Containers(runtime)});
  std::fwrite(diagnosis.text.data(), 1, diagnosis.text.size(), stdout);
  return diagnosis.well ? program::kOk : program::kFailed;
}

constexpr std::string_view kDoctorFlags[] = {"config"};

}  // namespace

const program::Command kDoctorCommand = {"doctor", "say why a container is on CPUs of its own or not",
                                         R"(Usage: huygens-agent doctor [POD] [--config FILE]

Compares what the containers of this node run on with what they should, and says of
each why, and what to do: + it has what it should, - it shares CPUs and nothing is
wrong with that, ! something is wrong. POD is NAME or NAMESPACE/NAME; without it, all.
It changes nothing. It asks the runtime, so it needs the rights of the agent:

  kubectl -n kube-system exec ds/huygens-agent -- huygens-agent doctor web-0

  --config FILE    the agent's configuration (default: the default values)

Exit codes: 0 all is well, 1 something is wrong, 2 wrong usage.
)",
                                         kDoctorFlags, RunDoctor};

}  // namespace huygens::agent
