// What an assignment of the trace's instances to machines comes to, counted from the raw data alone: no code of huygens
// takes part, so that it can convict huygens.
//
// Cost is the contest's objective, of CPU: mean over the points of the sum over the machines in use of
// 1 + 10 * (e^max(0, u - 0.5) - 1), u being the share of the machine's cores in use. No assignment of all instances
// that keeps to CPU alone is below 6026.62 (konnase/tianchi, lower_bound).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "replay/trace.h"

namespace huygens::replay {

inline constexpr double kCostLowerBound = 6026.62;

// By instance: the number of its machine; nothing if it was not placed.
using Assignment = std::vector<std::optional<uint32_t>>;

struct Outcome {
  size_t unplaced = 0;
  size_t machines = 0;  // with at least one instance
  double cores = 0;     // of these machines
  size_t over_65 = 0;   // machines whose CPU use is above 65 % at any point
  size_t over_80 = 0;
  size_t over_100 = 0;
  size_t overfull = 0;   // machines that have too little of a resource besides CPU at any point
  size_t conflicts = 0;  // pairs of a machine and a broken rule of who disturbs whom
  double cost = 0;
};

Outcome Count(const Trace& trace, const Assignment& assignment);

}  // namespace huygens::replay
