// A set of masks of the first few zones, a bit for each mask: what takes 2^zones steps in a list takes some words here.
// Plain value.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace huygens::topology {

inline constexpr int kMaxMergeZones = 8;

class MaskSet {
 public:
  // Those of the first amounts.size() zones whose amounts add up to at least `need`.
  static MaskSet Reaching(std::span<const int64_t> amounts, int64_t need);
  // Each of one set combined with each of the other by "and".
  static MaskSet Combined(const MaskSet& a, const MaskSet& b);

  void Add(size_t mask) { words_[mask / 64] |= uint64_t{1} << mask % 64; }
  void Remove(size_t mask) { words_[mask / 64] &= ~(uint64_t{1} << mask % 64); }
  bool empty() const { return (words_[0] | words_[1] | words_[2] | words_[3]) == 0; }
  MaskSet& operator&=(const MaskSet& other);
  // Those of exactly `width` zones.
  MaskSet OfWidth(int width) const;
  // Those that have all zones of `must` and none but those of `universe`.
  MaskSet Between(size_t must, size_t universe) const;

  // In ascending order.
  template <typename Visit>
  void ForEach(Visit visit) const {
    for (size_t w = 0; w < words_.size(); ++w) {
      for (uint64_t left = words_[w]; left != 0; left &= left - 1) {
        visit(64 * w + static_cast<size_t>(std::countr_zero(left)));
      }
    }
  }

 private:
  int Count() const;

  std::array<uint64_t, (size_t{1} << kMaxMergeZones) / 64> words_{};
};

}  // namespace huygens::topology
