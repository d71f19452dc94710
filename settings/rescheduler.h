// Moving pods that stand wrong (docs/rescheduling.md): what `huygens extender` does of it, and under which limits. Plain
// values with the defaults.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/time.h"

namespace huygens::settings {

// kReport: it is found and told what would be moved; nobody is evicted, and nothing but the report is written.
enum class ReschedulerMode : uint8_t { kOff, kReport, kMove };

struct MovesInFlight {
  int64_t cluster = 20, source = 2, target = 2, namespaces = 5, group = 10;
};

struct MovesPerHour {
  int64_t cluster = 200, node = 10, group = 100;
};

struct ReschedulerConfiguration {
  ReschedulerMode mode = ReschedulerMode::kOff;
  std::string namespace_name = "kube-system";  // of the Lease and the reports
  std::string lease = "huygens-move";
  Duration lease_duration = std::chrono::seconds(10);
  Duration plan_interval = std::chrono::minutes(10);
  Duration move_interval = std::chrono::minutes(1);
  Duration settle = std::chrono::minutes(5);
  MovesInFlight in_flight;
  MovesPerHour per_hour;
  int64_t workload_share = 100'000;  // millionths
  Duration pod_cool_down = std::chrono::hours(24);
  Duration node_cool_down = std::chrono::minutes(10);
  Duration minimum_age = std::chrono::hours(1);
  Duration minimum_history = std::chrono::hours(24);
  bool allow_singletons = false;
  bool allow_jobs = false;
  std::vector<std::string> freezes;
};

}  // namespace huygens::settings
