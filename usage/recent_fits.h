// On which nodes the demands that were asked about last were found to fit, one bit each: pods of a few workloads come
// at a time, and most nodes do not change in between. What changes must be forgotten. Decision thread only.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "cluster/account.h"
#include "usage/demand.h"
#include "usage/quantized_headroom.h"

namespace huygens::usage {

class RecentFits {
 public:
  using Bits = uint32_t;

  // What is kept of a demand that is remembered, and made anew of another.
  struct Known {
    uint64_t number = 0;                                            // 0: it is not remembered
    std::shared_ptr<const std::vector<QuantizedDemand>> quantized;  // by resource; null: curves are not looked at
  };

  // One that is not remembered takes the place of the one that was not asked about for longest. `slots`: of the curves;
  // 0: they are not looked at.
  Known Remember(const Demand& demand, size_t slots);
  // Takes no place.
  Known Find(const Demand& demand, size_t slots) const;
  // One bit; none for a demand that is not remembered, or whose place another has taken.
  Bits BitOf(const Known& known) const;

  void Resize(size_t nodes) { fits_.resize(nodes); }
  void Forget(cluster::NodeIndex node) { fits_[node] = 0; }
  Bits* data() { return fits_.data(); }  // by node

 private:
  struct Recent {
    Demand demand;
    Known known;
    uint64_t asked = 0;
  };
  std::vector<Recent> recent_;  // the n-th has the n-th bit
  uint64_t asked_ = 0;          // how often; the last was the latest
  std::vector<Bits> fits_;
};

}  // namespace huygens::usage
