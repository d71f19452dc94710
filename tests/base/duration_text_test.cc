#include "base/duration_text.h"

#include <gtest/gtest.h>

namespace huygens {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

TEST(DurationText, IsAsPeopleWriteThem) {
  EXPECT_EQ(DurationText(hours(7 * 24)), "7d");
  EXPECT_EQ(DurationText(minutes(15)), "15m");
  EXPECT_EQ(DurationText(minutes(1)), "1m");
  EXPECT_EQ(DurationText(seconds(180)), "180s");
  EXPECT_EQ(DurationText(milliseconds(1500)), "1500ms");
  EXPECT_EQ(DurationText(Duration(1)), "1ns");
  EXPECT_EQ(DurationText(Duration(0)), "0s");
}

TEST(SecondsText, LeavesOutWhatIsLessThanASecond) {
  EXPECT_EQ(SecondsText(milliseconds(12999)), "12 s");
  EXPECT_EQ(SecondsText(Duration(0)), "0 s");
}

TEST(AgeText, IsRoughlyHowLongAgo) {
  EXPECT_EQ(AgeText(milliseconds(999)), "0s");
  EXPECT_EQ(AgeText(seconds(119)), "119s");
  EXPECT_EQ(AgeText(seconds(120)), "2m");
  EXPECT_EQ(AgeText(seconds(7199)), "119m");
  EXPECT_EQ(AgeText(hours(2)), "2h");
  EXPECT_EQ(AgeText(hours(12) + minutes(4) + seconds(59)), "12h 4m");
  EXPECT_EQ(AgeText(hours(48) - seconds(1)), "47h 59m");
  EXPECT_EQ(AgeText(hours(71)), "2d");
}

}  // namespace
}  // namespace huygens
