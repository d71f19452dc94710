#include "topology/mask_set.h"

#include <algorithm>

namespace huygens::topology {

namespace {

using Words = std::array<uint64_t, 4>;

constexpr std::array<Words, kMaxMergeZones + 1> ByWidth() {
  std::array<Words, kMaxMergeZones + 1> sets{};
  for (size_t mask = 0; mask < size_t{1} << kMaxMergeZones; ++mask) {
    sets[static_cast<size_t>(std::popcount(mask))][mask / 64] |= uint64_t{1} << mask % 64;
  }
  return sets;
}
constexpr auto kByWidth = ByWidth();

constexpr uint64_t LowBits(size_t count) { return count == 64 ? ~uint64_t{0} : (uint64_t{1} << count) - 1; }
// Bits of the masks of six zones that do not have each zone.
constexpr std::array<uint64_t, 6> Without() {
  std::array<uint64_t, 6> bits{};
  for (size_t zone = 0; zone < 6; ++zone) {
    for (size_t mask = 0; mask < 64; ++mask) bits[zone] |= uint64_t{(mask >> zone & 1) == 0} << mask;
  }
  return bits;
}
constexpr std::array<uint64_t, 6> kWithout = Without();

// Each mask of `a` combined with each of `b` by "and". Masks of six zones, of which the first kZones are left to do.
template <size_t kZones>
uint64_t Combine(uint64_t a, uint64_t b) {
  if (b == 0) return 0;
  if constexpr (kZones == 0) {
    return a;
  } else {
    constexpr size_t kHalf = size_t{1} << (kZones - 1);
    const uint64_t folded = (a | a >> kHalf) & kWithout[kZones - 1];
    const uint64_t with = b >> kHalf, without = b & LowBits(kHalf);
    if (folded == a) return Combine<kZones - 1>(a, with | without);
    return Combine<kZones - 1>(folded, without) | Combine<kZones - 1>(a, with);
  }
}

}  // namespace

MaskSet MaskSet::Reaching(std::span<const int64_t> amounts, int64_t need) {
  constexpr size_t kMasks = size_t{1} << kMaxMergeZones;
  std::array<int64_t, kMasks> sums;
  sums[0] = 0;
  size_t end = 1;
  for (int64_t amount : amounts) {
    for (size_t mask = 0; mask < end; ++mask) sums[end + mask] = sums[mask] + amount;
    end *= 2;
  }
  MaskSet set;
  for (size_t first = 0; first < end; first += 64) {
    uint64_t word = 0;
    for (size_t i = 0; i < std::min<size_t>(end, 64); ++i) word |= uint64_t{sums[first + i] >= need} << i;
    set.words_[first / 64] = word;
  }
  return set;
}

int MaskSet::Count() const {
  int count = 0;
  for (uint64_t word : words_) count += std::popcount(word);
  return count;
}

MaskSet& MaskSet::operator&=(const MaskSet& other) {
  for (size_t w = 0; w < words_.size(); ++w) words_[w] &= other.words_[w];
  return *this;
}

MaskSet MaskSet::OfWidth(int width) const {
  MaskSet set;
  set.words_ = kByWidth[static_cast<size_t>(width)];
  return set &= *this;
}

MaskSet MaskSet::Between(size_t must, size_t universe) const {
  MaskSet set = *this;
  for (size_t w = 0; w < words_.size(); ++w) {
    if ((w & ~(universe / 64)) != 0 || (must / 64 & ~w) != 0) set.words_[w] = 0;
  }
  for (size_t zone = 0; zone < 6; ++zone) {
    for (uint64_t& word : set.words_) {
      if ((universe >> zone & 1) == 0) word &= kWithout[zone];
      if ((must >> zone & 1) != 0) word &= ~kWithout[zone];
    }
  }
  return set;
}

MaskSet MaskSet::Combined(const MaskSet& a, const MaskSet& b) {
  const bool fewer = a.Count() < b.Count();
  const Words& many = fewer ? b.words_ : a.words_;
  const Words& few = fewer ? a.words_ : b.words_;
  MaskSet set;
  for (size_t w = 0; w < few.size(); ++w) {
    if (few[w] == 0) continue;
    Words folded{};  // `many` without the upper zones that masks in word w do not have
    for (size_t v = 0; v < many.size(); ++v) folded[v & w] |= many[v];
    for (size_t v = 0; v < folded.size(); ++v) {
      if (folded[v] != 0) set.words_[v] |= Combine<6>(folded[v], few[w]);
    }
  }
  return set;
}

}  // namespace huygens::topology
