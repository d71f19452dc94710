#include "replay/rebalance_state.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "base/text.h"
#include "json/reader.h"

namespace huygens::replay {

namespace {

bool Exists(const std::string& path) {
  std::error_code error;
  return std::filesystem::exists(path, error);
}

Status ReadScenario(const std::string& folder, RebalanceState& state) {
  const std::string path = folder + "/scenario.json";
  std::ifstream file(path);
  if (!file) return NotFound(Concat("cannot open ", path, ": a folder of the benchmark \"rebalance\" has one"));
  std::ostringstream text;
  text << file.rdbuf();
  const std::string content = text.str();
  const auto read = [&]() -> Status {
    state.cpu_ceiling = 0;
    HUYGENS_ASSIGN_OR_RETURN(JsonReader in, JsonReader::Open(content));
    return in.Fields("scenario", state.name, "ceiling", [&] { return in.Fields("cpu", state.cpu_ceiling); });
  };
  HUYGENS_RETURN_IF_ERROR(Annotate(read(), path));
  if (state.cpu_ceiling > 0 && state.cpu_ceiling <= 1) return absl::OkStatus();
  return Invalid(Concat(path, ": ceiling.cpu must be above 0 and at most 1"));
}

// A number of a machine, from 1; 0 for none.
std::optional<uint32_t> MachineNumber(std::string_view text, const Trace& trace) {
  const std::optional<double> number = ReadNumber(text);
  if (!number || *number > static_cast<double>(trace.machines.size()) || *number != static_cast<uint32_t>(*number)) {
    return std::nullopt;
  }
  return static_cast<uint32_t>(*number);
}

Status ReadLaidOver(const std::string& folder, RebalanceState& state) {
  const Trace& trace = state.trace;
  state.exists.assign(trace.machines.size(), false);
  HUYGENS_RETURN_IF_ERROR(ReadLines(folder + "/machines.txt.gz", 1, [&](const auto& cells) {
    const auto machine = MachineNumber(cells[0], trace);
    if (!machine || *machine == 0) return false;
    state.exists[*machine - 1] = true;
    return true;
  }));
  const std::string start = folder + "/start.txt.gz";
  HUYGENS_RETURN_IF_ERROR(ReadLines(start, 1, [&](const auto& cells) {
    const auto machine = MachineNumber(cells[0], trace);
    if (!machine || (*machine > 0 && !state.exists[*machine - 1])) return false;
    state.on.push_back(*machine == 0 ? std::nullopt : std::optional(*machine - 1));
    return state.on.size() <= trace.instances.size();
  }));
  if (state.on.size() != trace.instances.size()) {
    return Invalid(Concat(start, " has ", std::to_string(state.on.size()), " lines for the ",
                          std::to_string(trace.instances.size()), " instances of the trace"));
  }
  const std::string growth = folder + "/growth.csv.gz";
  if (!Exists(growth)) return absl::OkStatus();
  std::map<std::string_view, App*> apps;
  for (App& app : state.trace.apps) apps.emplace(app.name, &app);
  return ReadLines(growth, 2, [&](const auto& cells) {
    const auto app = apps.find(cells[0]);
    const std::optional<double> factor = ReadNumber(cells[1]);
    if (app == apps.end() || !factor) return false;
    for (double& use : app->second->use[kTraceCpu]) use *= *factor;
    return true;
  });
}

Status ReadComplete(const std::string& folder, RebalanceState& state) {
  const Trace& trace = state.trace;
  state.exists.assign(trace.machines.size(), true);
  std::map<std::string_view, uint32_t> machines;
  for (const Machine& machine : trace.machines) {
    if (!machines.emplace(machine.name, static_cast<uint32_t>(machines.size())).second) {
      return Invalid(Concat(folder, "/machine_resources.csv.gz names ", machine.name, " twice"));
    }
  }
  for (const std::string& name : trace.first_machines) {
    const auto machine = machines.find(name);
    if (!name.empty() && machine == machines.end()) {
      return Invalid(Concat(folder, "/instance_deploy.csv.gz names the machine ", name,
                            ", which machine_resources.csv.gz does not"));
    }
    state.on.push_back(name.empty() ? std::nullopt : std::optional(machine->second));
  }
  return absl::OkStatus();
}

}  // namespace

StatusOr<RebalanceState> ReadRebalanceState(const std::string& folder, const std::string& trace_folder) {
  if (!Exists(folder)) return NotFound(Concat("there is no folder ", folder));
  RebalanceState state;
  HUYGENS_RETURN_IF_ERROR(ReadScenario(folder, state));
  const bool laid_over = Exists(folder + "/start.txt.gz");
  HUYGENS_ASSIGN_OR_RETURN(state.trace, ReadTrace(laid_over ? trace_folder : folder));
  HUYGENS_RETURN_IF_ERROR(laid_over ? ReadLaidOver(folder, state) : ReadComplete(folder, state));
  if (state.trace.machines.empty()) return Invalid(Concat(folder, " has no machines"));
  if (std::ranges::none_of(state.on, [](const auto& on) { return on.has_value(); })) {
    return Invalid(Concat(folder, " has no instance on any machine"));
  }
  return state;
}

}  // namespace huygens::replay
