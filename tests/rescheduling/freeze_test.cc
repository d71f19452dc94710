#include "rescheduling/freeze.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace huygens::rescheduling {
namespace {

bool Frozen(std::string_view window, std::string_view time) {
  const auto parsed = ParseFreezeWindow(window);
  EXPECT_TRUE(parsed.ok()) << parsed.status();
  return parsed.ok() && IsFrozen(*parsed, *ParseRfc3339(time));
}

// 2026-11-27 is a Friday.
TEST(FreezeWindow, HoldsFromItsFirstMinuteToBeforeItsLast) {
  EXPECT_FALSE(Frozen("Mon-Fri 09:00-21:00", "2026-11-27T08:59:59Z"));
  EXPECT_TRUE(Frozen("Mon-Fri 09:00-21:00", "2026-11-27T09:00:00Z"));
  EXPECT_TRUE(Frozen("Mon-Fri 09:00-21:00", "2026-11-27T20:59:59Z"));
  EXPECT_FALSE(Frozen("Mon-Fri 09:00-21:00", "2026-11-27T21:00:00Z"));
  EXPECT_FALSE(Frozen("Mon-Fri 09:00-21:00", "2026-11-28T12:00:00Z")) << "Saturday";
  EXPECT_TRUE(Frozen("Mon,Sat 09:00-21:00", "2026-11-28T12:00:00Z"));
  EXPECT_TRUE(Frozen("Sat-Mon 09:00-21:00", "2026-11-29T12:00:00Z")) << "round the end of the week";
  EXPECT_FALSE(Frozen("Sat-Mon 09:00-21:00", "2026-12-01T12:00:00Z"));
}

TEST(FreezeWindow, BelongsToTheDayOnWhichItBegins) {
  EXPECT_TRUE(Frozen("Fri 22:00-02:00", "2026-11-27T23:00:00Z"));
  EXPECT_TRUE(Frozen("Fri 22:00-02:00", "2026-11-28T01:59:00Z"));
  EXPECT_FALSE(Frozen("Fri 22:00-02:00", "2026-11-28T02:00:00Z"));
  EXPECT_FALSE(Frozen("Fri 22:00-02:00", "2026-11-27T01:00:00Z")) << "that night began on Thursday";
  EXPECT_TRUE(Frozen("Fri 00:00-24:00", "2026-11-27T23:59:00Z"));
  EXPECT_FALSE(Frozen("Fri 00:00-24:00", "2026-11-28T00:00:00Z"));
  EXPECT_TRUE(Frozen("Fri 09:00-09:00", "2026-11-28T08:59:00Z")) << "a whole day";
}

TEST(FreezeWindow, FollowsTheClocksOfItsZone) {
  EXPECT_TRUE(Frozen("Sat 09:00-10:00 Asia/Shanghai", "2026-11-28T01:30:00Z"));
  EXPECT_FALSE(Frozen("Sat 09:00-10:00 Asia/Shanghai", "2026-11-28T09:30:00Z"));
  EXPECT_TRUE(Frozen("* 09:00-10:00 Europe/Berlin", "2026-11-28T08:30:00Z")) << "winter";
  EXPECT_TRUE(Frozen("* 09:00-10:00 Europe/Berlin", "2026-07-28T07:30:00Z")) << "summer";
  EXPECT_TRUE(Frozen("Sat 00:00-01:00 Asia/Shanghai", "2026-11-27T16:30:00Z")) << "it is Saturday there";
}

TEST(FreezeWindow, FaultsSayWhichPartIsWrong) {
  const auto fault = [](std::string_view text) { return std::string(Message(ParseFreezeWindow(text).status())); };
  EXPECT_THAT(fault("09:00-21:00"), testing::HasSubstr("days, times"));
  EXPECT_THAT(fault("Mo-Fr 09:00-21:00"), testing::HasSubstr("days are Mon"));
  EXPECT_THAT(fault("Mon-Tue-Fri 09:00-21:00"), testing::HasSubstr("days are Mon"));
  EXPECT_THAT(fault("* 9-21"), testing::HasSubstr("times are HH:MM"));
  EXPECT_THAT(fault("* 09:00-24:01"), testing::HasSubstr("times are HH:MM"));
  EXPECT_THAT(fault("* 09:60-21:00"), testing::HasSubstr("times are HH:MM"));
  EXPECT_THAT(fault("* 09:00-21:00 Mars/Olympus"), testing::HasSubstr("no time zone Mars/Olympus"));
}

}  // namespace
}  // namespace huygens::rescheduling
