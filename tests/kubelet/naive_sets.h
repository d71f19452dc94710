// Plain sets, masks and hints for the naive rerun of kubelet (naive_kubelet.h).
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <set>
#include <vector>

namespace huygens::kubelet::test {

using Set = std::set<int>;

inline Set Union(Set a, const Set& b) {
  a.insert(b.begin(), b.end());
  return a;
}
inline Set Minus(const Set& a, const Set& b) {
  Set rest;
  for (int each : a) {
    if (!b.contains(each)) rest.insert(each);
  }
  return rest;
}
inline Set Common(const Set& a, const Set& b) { return Minus(a, Minus(a, b)); }
inline bool Includes(const Set& a, const Set& b) { return Minus(b, a).empty(); }
inline int Size(const Set& set) { return static_cast<int>(set.size()); }

inline uint64_t Bits(const Set& zones) {
  uint64_t bits = 0;
  for (int zone : zones) bits |= uint64_t{1} << zone;
  return bits;
}
inline Set FromBits(uint64_t bits) {
  Set zones;
  for (int i = 0; i < 64; ++i) {
    if (bits >> i & 1) zones.insert(i);
  }
  return zones;
}

// A topology hint; zones by position.
struct Hint {
  bool any = false;  // no affinity
  uint64_t zones = 0;
  bool preferred = false;
};
inline bool Narrower(uint64_t a, uint64_t b) {
  return std::popcount(a) == std::popcount(b) ? a < b : std::popcount(a) < std::popcount(b);
}

inline void ForEachMask(const Set& zones, const std::function<void(uint64_t)>& visit) {
  const uint64_t all = Bits(zones);
  std::vector<uint64_t> masks;
  for (uint64_t mask = all; mask != 0; mask = (mask - 1) & all) masks.push_back(mask);
  std::sort(masks.begin(), masks.end(), Narrower);
  for (uint64_t mask : masks) visit(mask);
}

}  // namespace huygens::kubelet::test
