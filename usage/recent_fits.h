// On which nodes the demands that were asked about last were found to fit, one bit each: pods of a few workloads come
// at a time, and most nodes do not change in between. What changes must be forgotten. Decision thread only.
#pragma once

#include <cstdint>
#include <vector>

#include "cluster/account.h"
#include "usage/demand.h"

namespace huygens::usage {

class RecentFits {
 public:
  using Bits = uint32_t;

  // Sets `recent`, and if `slots` is not 0 `quantized`: those of the same demand where it is known. Else it takes the
  // place of the one that was not asked about for longest.
  void Remember(Demand& demand, size_t slots);
  // One bit; none for a demand whose place another has taken.
  Bits BitOf(const Demand& demand) const;

  void Resize(size_t nodes) { fits_.resize(nodes); }
  void Forget(cluster::NodeIndex node) { fits_[node] = 0; }
  Bits* data() { return fits_.data(); }  // by node

 private:
  struct Recent {
    Demand demand;
    uint64_t asked = 0;
  };
  std::vector<Recent> recent_;  // the n-th has the n-th bit
  uint64_t asked_ = 0;          // how often; the last was the latest
  std::vector<Bits> fits_;
};

}  // namespace huygens::usage
