#include "agent/show_command.h"

#include <cstdio>

#include "absl/flags/flag.h"
#include "agent/command.h"
#include "agent/machine_document.h"
#include "agent/machine_drawing.h"
#include "agent/pins_drawing.h"
#include "json/document.h"
#include "kubelet_api/kubelet_machine.h"
#include "machine/machine.h"

ABSL_FLAG(std::string, root, "/", "the folder that holds sys/ and proc/ of the machine");
ABSL_FLAG(std::string, o, "table", "what to print: table or json");
ABSL_FLAG(std::string, state, "/var/lib/huygens/crane_cpu_manager_state", "the state file of the agent that pins here");

namespace huygens::agent {

namespace {

constexpr std::string_view kTable = "table", kJson = "json";

// Nothing where no agent has pinned here: the file is of this machine alone.
std::string ShowPins(const std::string& root, const std::string& file) {
  const StatusOr<pinner::KeptState> kept = pinner::StateStore(file).Look();
  if (!kept.ok()) return Concat("\n! ", Message(kept.status()), "\n");
  const StatusOr<machine::Machine> machine = machine::ReadMachine(root);
  if (kept->shared.empty() || !machine.ok()) return "";
  return DrawPins(*machine, *kept, file);
}

int RunShow(std::span<const std::string_view> arguments) {
  if (!arguments.empty()) return UsageError("show", Concat("unexpected argument ", arguments[0], "; see --help"));
  const std::string format = absl::GetFlag(FLAGS_o);
  if (format != kTable && format != kJson) return UsageError("show", Concat("-o is table or json, not ", format));
  const StatusOr<std::string> text = Show(absl::GetFlag(FLAGS_root), format, absl::GetFlag(FLAGS_state));
  if (!text.ok()) {
    UsageError("show", Message(text.status()));
    return program::kFailed;
  }
  std::fwrite(text->data(), 1, text->size(), stdout);
  if (format == kTable) {
    const std::string pins = ShowPins(absl::GetFlag(FLAGS_root), absl::GetFlag(FLAGS_state));
    std::fwrite(pins.data(), 1, pins.size(), stdout);
  }
  return program::kOk;
}

constexpr std::string_view kFlags[] = {"root", "o", "state"};

}  // namespace

StatusOr<std::string> Show(const std::string& root, std::string_view format, const std::string& state) {
  if (format != kTable && format != kJson) return Invalid(Concat("no format is called ", format));
  HUYGENS_ASSIGN_OR_RETURN(const machine::Machine machine, machine::ReadMachine(root));
  const StatusOr<kubelet_api::KubeletMachine> kubelet =
      kubelet_api::ReadKubeletMachine(machine::SystemFiles(root), kubelet_api::OwnKubeletBuild());
  if (format == kTable) return DrawMachine(machine, kubelet);
  MachineDocument document = DescribeMachine(machine, kubelet);
  if (!state.empty()) document.pins = DescribePins(pinner::StateStore(state).Look());
  return EncodeJson(document) + "\n";
}

const program::Command kShowCommand = {"show", "draw the machine: zones, cores, caches, memory, distances",
                                       R"(Usage: huygens-agent show [FLAGS]

Draws the machine as its kernel describes it in /sys and /proc: zones (NUMA nodes)
with their CPUs, cores, last-level caches, memory, huge pages and distances, and
which CPUs are offline or isolated. The last lines say where kubelet sees it
differently. Needs no rights beyond reading /sys and /proc.

  -o table|json    json: all of it, with kubelet's view, and who owns which CPUs
                   where an agent pins (default table)
  --root DIR       the folder that holds sys/ and proc/ of the machine: a copy of
                   another machine's, or the host's in a container (default /)
  --state FILE     where the agent that pins here keeps who has which CPUs; shown if
                   it is there (default /var/lib/huygens/crane_cpu_manager_state)

Exit codes: 0 done, 1 a file cannot be read or understood, 2 wrong usage.
)",
                                       kFlags, RunShow};

}  // namespace huygens::agent
