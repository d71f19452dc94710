#include "topology/mask_search.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

namespace huygens::topology {
namespace {

struct Puzzle {
  ZoneMask universe = 0, must = 0;
  std::vector<std::vector<int64_t>> amounts;
  std::vector<int64_t> needs;
  std::vector<int> distance;
  int width = 0;
  ZoneMask refused = 0;  // no mask with all of these

  MaskQuery Query() const {
    MaskQuery query{.universe = universe, .must = must, .distance = distance};
    for (size_t i = 0; i < needs.size(); ++i) query.sums.push_back({amounts[i], needs[i]});
    return query;
  }
  bool Suits(ZoneMask mask) const {
    if ((mask & ~universe) != 0 || (must & ~mask) != 0 || CountZones(mask) != width) return false;
    for (size_t i = 0; i < needs.size(); ++i) {
      int64_t sum = 0;
      for (size_t zone : ZonesIn{mask}) sum += amounts[i][zone];
      if (sum < needs[i]) return false;
    }
    return (refused & ~mask) != 0;
  }
};

Puzzle Random(std::mt19937& random) {
  auto number = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  Puzzle puzzle;
  const size_t zones = static_cast<size_t>(number(1, 9));
  puzzle.universe = static_cast<ZoneMask>(number(1, 511)) & AllZones(zones);
  if (number(0, 3) == 0) puzzle.must = ZoneBit(static_cast<size_t>(number(0, static_cast<int>(zones) - 1)));
  for (int sum = number(0, 3); sum > 0; --sum) {
    puzzle.amounts.emplace_back();
    for (size_t z = 0; z < zones; ++z) puzzle.amounts.back().push_back(number(0, 10));
    puzzle.needs.push_back(number(0, 30));
  }
  if (number(0, 1) == 0) {
    const int farthest = number(0, 1) == 0 ? 20 : 11;  // 11: many masks are as near as can be
    for (size_t i = 0; i < zones * zones; ++i) puzzle.distance.push_back(number(10, farthest));
  }
  puzzle.width = number(1, 5);
  puzzle.refused = static_cast<ZoneMask>(number(1, 511)) & AllZones(zones);
  if (puzzle.refused == 0) puzzle.refused = ZoneBit(zones);
  return puzzle;
}

TEST(MaskSearch, FindsWhatTryingAllMasksFinds) {
  std::mt19937 random(3);
  int found = 0;
  for (int round = 0; round < 5000; ++round) {
    SCOPED_TRACE(round);
    const Puzzle puzzle = Random(random);
    auto accepts = [&](ZoneMask mask) { return (puzzle.refused & ~mask) != 0; };
    MaskQuery query = puzzle.Query();
    query.accepts.emplace(accepts);
    int steps = 1 << 20;
    const MaskAnswer answer = FindMask(query, puzzle.width, steps);
    std::optional<std::pair<int64_t, ZoneMask>> best;
    for (ZoneMask mask = 1; mask < 512; ++mask) {
      if (!puzzle.Suits(mask)) continue;
      size_t side = 0;
      while (side * side < puzzle.distance.size()) ++side;
      const std::pair cost(side == 0 ? 0 : DistanceWithin(puzzle.distance, side, mask), mask);
      if (!best || cost < *best) best = cost;
    }
    EXPECT_FALSE(answer.bounded);
    EXPECT_EQ(answer.mask, best ? std::optional(best->second) : std::nullopt);
    found += best ? 1 : 0;
  }
  EXPECT_GT(found, 500);
}

TEST(MaskSearch, TheLeastDistancesTellAZoneFromTheOthers) {
  const LeastDistances least = LeastOf(std::vector<int>{10, 31, 21, 32, 12, 22, 23, 24, 11}, 3);
  EXPECT_EQ(least.own, 10);
  EXPECT_EQ(least.other, 21);
  EXPECT_EQ(least.Within(0), 0);
  EXPECT_EQ(least.Within(3), 3 * 10 + 6 * 21);
  EXPECT_EQ(LeastOf(std::vector<int>{10}, 1).Within(1), 10);
}

TEST(MaskSearch, StopsWhenTheStepsAreUsedUp) {
  Puzzle puzzle{.universe = AllZones(20), .amounts = {std::vector<int64_t>(20, 2)}, .needs = {10}, .width = 5};
  auto never = [](ZoneMask) { return false; };
  MaskQuery query = puzzle.Query();
  query.accepts.emplace(never);
  int steps = 100;
  const MaskAnswer answer = FindMask(query, puzzle.width, steps);
  EXPECT_TRUE(answer.bounded);
  EXPECT_FALSE(answer.mask);
  EXPECT_LE(steps, 0);
}

TEST(MaskSearch, SumsStickAtTheMost) {
  constexpr int64_t kHuge = std::numeric_limits<int64_t>::max();
  const std::vector<int64_t> amounts(4, int64_t{1} << 62);
  const MaskQuery query{.universe = AllZones(4), .sums = {{amounts, kHuge}}};
  for (int width = 2; width <= 4; ++width) {
    int steps = 100;
    EXPECT_EQ(FindMask(query, width, steps).mask, AllZones(static_cast<size_t>(width)));
  }
}

TEST(MaskSearch, TheLeastWidthCountsTheLargestAmounts) {
  const std::vector<int64_t> a{4, 1, 8, 2}, b{1, 1, 1, 9};
  std::vector<ZoneSum> sums{{a, 12}, {b, 9}};
  EXPECT_EQ(LeastWidth(0b1111, sums), 2);
  EXPECT_EQ(LeastWidth(0b1011, sums), std::nullopt);
  sums[1].need = 11;
  EXPECT_EQ(LeastWidth(0b1111, sums), 3);
}

}  // namespace
}  // namespace huygens::topology
