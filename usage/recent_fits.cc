#include "usage/recent_fits.h"

#include <algorithm>
#include <limits>

namespace huygens::usage {
namespace {

bool Same(const Demand& a, const Demand& b) {
  return std::ranges::equal(a.resources, b.resources, [](const ResourceDemand& x, const ResourceDemand& y) {
    return x.peak == y.peak && x.curve == y.curve;
  });
}

RecentFits::Known Made(const Demand& demand, size_t slots) {
  RecentFits::Known known;
  if (slots == 0) return known;
  auto quantized = std::make_shared<std::vector<QuantizedDemand>>();
  for (const ResourceDemand& each : demand.resources) quantized->push_back(QuantizedHeadroom::Of(each, slots));
  known.quantized = std::move(quantized);
  return known;
}

}  // namespace

RecentFits::Known RecentFits::Remember(const Demand& demand, size_t slots) {
  constexpr size_t kMost = std::numeric_limits<Bits>::digits;
  auto found = std::ranges::find_if(recent_, [&](const Recent& recent) { return Same(recent.demand, demand); });
  ++asked_;
  if (found == recent_.end()) {
    if (recent_.size() < kMost) {
      found = recent_.insert(recent_.end(), Recent());
    } else {
      found = std::ranges::min_element(recent_, {}, &Recent::asked);
    }
    found->demand = demand;
    found->known = Made(demand, slots);
    found->known.number = asked_;
    const Bits others = ~BitOf(found->known);
    for (Bits& fits : fits_) fits &= others;
  }
  found->asked = asked_;
  return found->known;
}

RecentFits::Known RecentFits::Find(const Demand& demand, size_t slots) const {
  const auto found = std::ranges::find_if(recent_, [&](const Recent& recent) { return Same(recent.demand, demand); });
  return found == recent_.end() ? Made(demand, slots) : found->known;
}

RecentFits::Bits RecentFits::BitOf(const Known& known) const {
  for (size_t i = 0; i < recent_.size(); ++i) {
    if (recent_[i].known.number == known.number) return Bits{1} << i;
  }
  return 0;
}

}  // namespace huygens::usage
