#include "topology/mask_set.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace huygens::topology {
namespace {

constexpr size_t kMasks = size_t{1} << kMaxMergeZones;

std::set<size_t> MasksOf(const MaskSet& set) {
  std::set<size_t> masks;
  set.ForEach([&](size_t mask) { masks.insert(mask); });
  return masks;
}

TEST(MaskSet, CombinesEachMaskWithEach) {
  std::mt19937 random(1);
  for (int i = 0; i < 500; ++i) {
    MaskSet a, b;
    std::set<size_t> combined;
    const auto every_a = 1 + random() % 40, every_b = 1 + random() % 40;
    for (size_t mask = 0; mask < kMasks; ++mask) {
      if (random() % every_a == 0) a.Add(mask);
      if (random() % every_b == 0) b.Add(mask);
    }
    for (size_t x : MasksOf(a)) {
      for (size_t y : MasksOf(b)) combined.insert(x & y);
    }
    EXPECT_EQ(MasksOf(MaskSet::Combined(a, b)), combined);
  }
}

TEST(MaskSet, AddsUpTheAmountsOfEachMask) {
  std::mt19937 random(2);
  for (size_t zones = 1; zones <= kMaxMergeZones; ++zones) {
    std::vector<int64_t> amounts;
    int64_t all = 0;
    for (size_t zone = 0; zone < zones; ++zone) all += amounts.emplace_back(random() % 20);
    const auto need = static_cast<int64_t>(random() % static_cast<uint64_t>(all + 2));
    const size_t must = random() % kMasks & random() % kMasks, universe = must | random() % kMasks;
    const MaskSet set = MaskSet::Reaching(amounts, need);
    std::set<size_t> reaching, between;
    for (size_t mask = 0; mask < size_t{1} << zones; ++mask) {
      int64_t sum = 0;
      for (size_t zone = 0; zone < zones; ++zone) sum += (mask >> zone & 1) != 0 ? amounts[zone] : 0;
      if (sum < need) continue;
      reaching.insert(mask);
      if ((must & ~mask) == 0 && (mask & ~universe) == 0) between.insert(mask);
    }
    EXPECT_EQ(MasksOf(set), reaching);
    EXPECT_EQ(MasksOf(set.Between(must, universe)), between);
  }
}

}  // namespace
}  // namespace huygens::topology
