#include "usage/recent_fits.h"

#include <algorithm>
#include <limits>

#include "usage/quantized_headroom.h"

namespace huygens::usage {
namespace {

bool Same(const Demand& a, const Demand& b) {
  return std::equal(
      a.resources.begin(), a.resources.end(), b.resources.begin(), b.resources.end(),
      [](const ResourceDemand& x, const ResourceDemand& y) { return x.peak == y.peak && x.curve == y.curve; });
}

}  // namespace

void RecentFits::Remember(Demand& demand, size_t slots) {
  constexpr size_t kMost = std::numeric_limits<Bits>::digits;
  auto found =
      std::find_if(recent_.begin(), recent_.end(), [&](const Recent& recent) { return Same(recent.demand, demand); });
  ++asked_;
  if (found == recent_.end()) {
    demand.recent = asked_;
    for (ResourceDemand& each : demand.resources) {
      if (slots > 0) each.quantized = std::make_shared<const QuantizedDemand>(QuantizedHeadroom::Of(each, slots));
    }
    if (recent_.size() < kMost) {
      found = recent_.insert(recent_.end(), Recent());
    } else {
      found = std::min_element(recent_.begin(), recent_.end(),
                               [](const Recent& a, const Recent& b) { return a.asked < b.asked; });
    }
    found->demand = demand;
    const Bits others = ~BitOf(demand);
    for (Bits& fits : fits_) fits &= others;
  }
  found->asked = asked_;
  demand.recent = found->demand.recent;
  for (size_t r = 0; r < demand.resources.size(); ++r)
    demand.resources[r].quantized = found->demand.resources[r].quantized;
}

RecentFits::Bits RecentFits::BitOf(const Demand& demand) const {
  for (size_t i = 0; i < recent_.size(); ++i) {
    if (recent_[i].demand.recent == demand.recent) return Bits{1} << i;
  }
  return 0;
}

}  // namespace huygens::usage
