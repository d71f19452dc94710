// What one pod would add to a node.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "usage/profile.h"

namespace huygens::usage {

struct ResourceDemand {
  int64_t peak = 0;            // of its curve; of the estimate where there is no history
  int64_t estimate = 0;        // from requests and limits alone
  size_t peak_slot = 0;        // the first slot of the week with that peak
  std::vector<int64_t> curve;  // by slot of the week; empty: `peak` in every slot

  int64_t At(size_t slot) const { return curve.empty() ? peak : curve[slot]; }
};
ResourceDemand DemandOf(const Profile& profile);

struct Demand {
  std::vector<ResourceDemand> resources;  // by position in Options::resources; empty: usage is not looked at
};

}  // namespace huygens::usage
