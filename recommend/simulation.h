// What recommendations would have done to one workload, played over its recorded use: every midnight (UTC) from
// minHistory on, its pods are taken to be created anew with what was recommended from all that came before, and the day
// is judged by what they then used. Pure; any thread.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "recommend/decision.h"
#include "recommend/outcome.h"

namespace huygens::recommend {

// What one pod used at a moment, and what it asked for; nothing: not recorded.
struct RecordedUse {
  Time time;
  PerResource<std::optional<double>> used;  // cores, bytes
  PerResource<std::optional<double>> requested;
};

// CSV with a heading: a column `time` (seconds since 1970, or RFC 3339), and `cpu`, `memory`, or both; optionally
// `cpuRequest` and `memoryRequest`. Cells that are empty are not recorded. Lines are sorted by time. Errors name the line.
StatusOr<std::vector<RecordedUse>> ParseRecordedUse(std::string_view csv);

struct SimulatedResource {
  Outcome outcome;         // each day is a series of its own
  double recommended = 0;  // at the last midnight, and the highest of all
  double highest = 0;
  std::optional<double> requested;       // at the end
  double median = 0, p95 = 0, most = 0;  // of what was used on the days that are judged
  Duration longest{};                    // from a sample above the request to the next that is not
  std::optional<Time> worst_day;         // on which it was exceeded most often; nothing: never
  double worst_share = 0;                // of that day
};

struct Simulation {
  size_t days = 0;  // judged
  PerResource<SimulatedResource> resources;
};

// Of what is recorded, by time. `policy` has the factor on top, steps and floors, and how much history there must be.
Simulation Simulate(std::span<const RecordedUse> recorded, const Profile& profile, const PoolPolicy& policy);

}  // namespace huygens::recommend
