// A set of up to 64 zones of one node: bit i is the zone at position i, zones ordered by id. Ids themselves may be
// sparse and above 63. Comparing two masks as numbers is comparing the sets of ids as kubelet's bit masks compare.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace huygens::topology {

using ZoneMask = uint64_t;

inline constexpr ZoneMask ZoneBit(size_t position) { return ZoneMask{1} << position; }
inline constexpr ZoneMask AllZones(size_t count) { return count >= 64 ? ~ZoneMask{0} : ZoneBit(count) - 1; }
inline constexpr int CountZones(ZoneMask mask) { return std::popcount(mask); }

// for (size_t position : ZonesIn{mask}), ascending.
struct ZonesIn {
  ZoneMask mask;
  struct Iterator {
    ZoneMask rest;
    size_t operator*() const { return static_cast<size_t>(std::countr_zero(rest)); }
    Iterator& operator++() {
      rest &= rest - 1;
      return *this;
    }
    bool operator!=(const Iterator& other) const { return rest != other.rest; }
  };
  Iterator begin() const { return {mask}; }
  Iterator end() const { return {0}; }
};

}  // namespace huygens::topology
