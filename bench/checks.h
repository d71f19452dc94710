// What the checks, their modes and what they lack cost a filter.
#pragma once

#include <functional>
#include <vector>

#include "placement/placement.h"

namespace huygens::bench {

struct Setting {
  const char* name;
  placement::Options options;
  std::function<void(placement::Placement&, Time now)> fill;
};
// The first is the check "topology" alone. `names` must outlive what is made of them.
std::vector<Setting> Settings(size_t nodes, size_t pods, ResourceNames& names);

// Prints it without the network: the same calls on two decision cores in turns.
void ReportChecks(size_t nodes, size_t pods);

}  // namespace huygens::bench
