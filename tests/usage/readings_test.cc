#include "usage/readings.h"

#include <gtest/gtest.h>

#include "usage/curve.h"

namespace huygens::usage {
namespace {

using namespace std::chrono_literals;

TEST(Readings, SlotsAreCountedFrom1970InUtc) {
  const Duration slot = 15min;
  EXPECT_EQ(SlotAt(Time{}, slot), 0);
  EXPECT_EQ(SlotAt(Time(slot) - 1ns, slot), 0);
  EXPECT_EQ(SlotAt(Time(slot), slot), 1);
  EXPECT_EQ(SlotAt(Time(-1ns), slot), -1);
  EXPECT_EQ(SlotAt(*ParseRfc3339("2026-11-21T11:36:17Z"), slot), 1'994'734);
}

// Minutes are slots of a window of a hundred.
int64_t OldestAt(Duration now, Duration stale_after) {
  return OldestSlot(Time(now), {.slot = 1min, .slots = 100, .stale_after = stale_after});
}

TEST(OldestSlot, TheOpenSlotCountsAsAWindowBefore) {
  EXPECT_EQ(OldestAt(1000min, 10s), 900);
  EXPECT_EQ(OldestAt(1000min + 59s, 10s), 900);
  EXPECT_EQ(OldestAt(1001min, 10s), 901);
}

TEST(OldestSlot, SoDoesEachThatFreshFiguresMayNotReachYet) {
  EXPECT_EQ(OldestAt(1000min, 1min), 900);
  EXPECT_EQ(OldestAt(1000min, 61s), 899);
  EXPECT_EQ(OldestAt(1000min + 30s, 5min), 896);
}

// However long figures count as fresh, and with a sample from the next slot already there.
TEST(OldestSlot, IsNeverTakenForAClockThatWentBack) {
  for (const size_t slots : {2, 7, 60, 672}) {
    for (const Duration stale_after : {Duration(1s), Duration(10min), Duration(24h)}) {
      const int64_t oldest = OldestSlot(Time(100000min), {.slot = 1min, .slots = slots, .stale_after = stale_after});
      EXPECT_FALSE(WentBack(oldest, 100001, slots)) << slots;
      EXPECT_LE(oldest, 100000 - static_cast<int64_t>(slots));
    }
  }
}

}  // namespace
}  // namespace huygens::usage
