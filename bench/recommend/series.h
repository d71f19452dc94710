// Recorded use, and what of it a policy sees before it is judged by the rest. Three kinds of folders:
//  - app_resources.csv.gz, as in the Alibaba Global Scheduling Contest 2018: one real day of each application, of which
//    weeks are made too;
//  - 20110303/ and its like, a folder for each day, as PlanetLab's virtual machines: a file per machine, use in percent
//    every five minutes;
//  - *.csv or *.csv.gz, a file per series: a heading, then "seconds,use" in each line.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"

namespace huygens::recommend {

struct Case {
  std::vector<double> seen;    // what the policy is told
  std::vector<double> judged;  // what comes after it
};

struct Trace {
  std::string name;
  double step = 0;   // seconds between two values
  double scale = 1;  // makes cores of a value
  std::vector<Case> cases;
};

struct TraceOptions {
  uint32_t seed = 1;  // of made weeks
  // Which half of the series: 0 the first, third ... by name or place, 1 the others. Not for *.csv.
  size_t part = 0;
};

StatusOr<std::vector<Trace>> ReadTraces(const std::string& folder, const TraceOptions& options);

}  // namespace huygens::recommend
