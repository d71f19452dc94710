#include "replay/outcome.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace huygens::replay {

namespace {

using Counts = std::map<uint32_t, uint32_t>;  // instances by application

std::vector<double> Use(const Trace& trace, const Counts& here, size_t resource) {
  std::vector<double> use(kPoints);
  for (auto [app, count] : here) {
    for (size_t point = 0; point < kPoints; ++point) use[point] += count * trace.apps[app].use[resource][point];
  }
  return use;
}

// Sums of decimal fractions are a little off.
bool Above(double use, double limit) { return use > limit * (1 + 1e-9); }

size_t Conflicts(const Trace& trace, const Counts& here) {
  size_t conflicts = 0;
  for (auto [app, count] : here) {
    for (auto [other, most] : trace.apps[app].at_most) {
      const auto found = here.find(other);
      if (found != here.end() && found->second > most) ++conflicts;
    }
  }
  return conflicts;
}

}  // namespace

Outcome Count(const Trace& trace, const Assignment& assignment) {
  Outcome outcome;
  std::vector<Counts> on(trace.machines.size());
  for (size_t i = 0; i < assignment.size(); ++i) {
    if (assignment[i]) {
      ++on[*assignment[i]][trace.instances[i]];
    } else {
      ++outcome.unplaced;
    }
  }
  for (size_t m = 0; m < on.size(); ++m) {
    if (on[m].empty()) continue;
    const auto& capacity = trace.machines[m].capacity;
    const std::vector<double> cpu = Use(trace, on[m], kTraceCpu);
    const double peak = *std::max_element(cpu.begin(), cpu.end());
    ++outcome.machines;
    outcome.cores += capacity[kTraceCpu];
    outcome.over_65 += Above(peak, 0.65 * capacity[kTraceCpu]);
    outcome.over_80 += Above(peak, 0.8 * capacity[kTraceCpu]);
    outcome.over_100 += Above(peak, capacity[kTraceCpu]);
    for (double use : cpu) {
      outcome.cost += (1 + 10 * std::expm1(std::max(0.0, use / capacity[kTraceCpu] - 0.5))) / kPoints;
    }
    bool overfull = false;
    for (size_t r = kTraceMemory; r < capacity.size(); ++r) {
      const std::vector<double> use = Use(trace, on[m], r);
      overfull = overfull || Above(*std::max_element(use.begin(), use.end()), capacity[r]);
    }
    outcome.overfull += overfull;
    outcome.conflicts += Conflicts(trace, on[m]);
  }
  return outcome;
}

}  // namespace huygens::replay
