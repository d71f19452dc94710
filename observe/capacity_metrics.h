// The metrics of the reconciler of real capacity, which is there only where it is configured: its series begin with the
// first scrape. Any thread.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"

namespace prometheus {
class Registry;
}

namespace huygens::observe {

// What an attribute of a zone is found to be, in the order of real_capacity::Outcome.
inline constexpr std::array<std::string_view, 8> kZoneStates = {"nothing", "current", "write", "held",
                                                                "absent",  "remove",  "stale", "refused"};

struct RealCapacityCounts {
  struct Query {
    uint64_t good = 0, bad = 0;    // answers
    std::optional<Time> answered;  // the last good one
  };
  std::map<std::string, Query> queries;                                   // by name
  std::map<std::string, std::array<uint64_t, kZoneStates.size()>> zones;  // by attribute, how many now
  uint64_t written = 0, removed = 0, conflicts = 0, refused = 0, failed = 0;
  uint64_t unknown_nodes = 0, unknown_zones = 0;  // that the last answers name
};

class CapacityMetrics {
 public:
  // For the files of observe/: registers them.
  explicit CapacityMetrics(prometheus::Registry& registry);
  ~CapacityMetrics();
  void Set(const RealCapacityCounts& totals);

 private:
  struct Families;
  std::unique_ptr<Families> families_;
};

}  // namespace huygens::observe
