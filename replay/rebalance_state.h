// A start state for the benchmark "rebalance": which instance of the trace (replay/trace.h) is on which machine, and the
// CPU ceiling that some machines are above. A folder is one state, in one of two forms:
//
//   complete   app_resources, machine_resources, instance_deploy, app_interference .csv.gz as the trace has them; the
//              third field of instance_deploy is the machine on which the instance is now, or nothing
//   laid over  start.txt.gz: a line for each line of the trace's instance_deploy, the number of its machine by line of
//              machine_resources, from 1, or 0; machines.txt.gz: the numbers of the machines that there are;
//              growth.csv.gz, where it is there: app, factor of its CPU curve. The trace itself is another folder.
//
// Both have scenario.json, of which "scenario" and "ceiling": {"cpu": SHARE} are read.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "replay/trace.h"

namespace huygens::replay {

struct RebalanceState {
  std::string name;
  Trace trace;
  double cpu_ceiling = 1;                   // share of a machine's cores
  std::vector<bool> exists;                 // by machine
  std::vector<std::optional<uint32_t>> on;  // by instance: its machine; nothing: it is not in the cluster
};

// `trace_folder`: for the second form. Errors name the file, and the line where there is one.
StatusOr<RebalanceState> ReadRebalanceState(const std::string& folder, const std::string& trace_folder);

}  // namespace huygens::replay
