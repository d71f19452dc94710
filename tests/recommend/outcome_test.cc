#include "recommend/outcome.h"

#include <gtest/gtest.h>

#include <vector>

#include "recommend/usage_model.h"

namespace huygens::recommend {
namespace {

TEST(Outcome, CountsWhatWasNotUsedAndWhatWasExceeded) {
  Outcome outcome;
  outcome.Add(2, std::vector<double>{1, 2, 3, 2});
  EXPECT_DOUBLE_EQ(outcome.slack(), 1.0 / 8);
  EXPECT_DOUBLE_EQ(outcome.deficit(), 1.0 / 8);
  EXPECT_DOUBLE_EQ(outcome.exceeded(), 0.25);
  EXPECT_DOUBLE_EQ(outcome.hit(), 1);
  EXPECT_DOUBLE_EQ(outcome.short_peaks(), 0);
  outcome.Add(1, std::vector<double>{0.5, 0.5, 0.5, 3});
  EXPECT_DOUBLE_EQ(outcome.by_peak(), 3.0 / 6);
  EXPECT_DOUBLE_EQ(outcome.short_peaks(), 0.5);
  outcome.Add(1, {});
  EXPECT_EQ(outcome.series(), 2u);
  std::vector<double> used(20, 0.5);
  used[0] = 2;  // in a twentieth of the time, which is no hit
  outcome.Add(1, used);
  EXPECT_DOUBLE_EQ(outcome.hit(), 2.0 / 3);
}

// What the default is for: a week of work by day, a quiet weekend, and the Monday after it.
TEST(Profile, TheDefaultStillSeesTheWorkingWeekOnAMondayAndTheOtherDoesNot) {
  constexpr Time kMonday = Time(std::chrono::sys_days(std::chrono::year(2026) / 3 / 2));
  UsageModel weekly(ModelOptions::Cpu(kWeekly)), daily(ModelOptions::Cpu(kDaily));
  for (int hour = 0; hour < 14 * 24; ++hour) {
    const bool busy = hour / 24 % 7 < 5 && hour % 24 >= 8 && hour % 24 < 20;
    const std::vector<std::optional<int64_t>> use = {busy ? 4000 : 500};
    const Time time = kMonday + std::chrono::hours(hour);
    EXPECT_TRUE(weekly.Add({"a", time, 8000, use}));
    EXPECT_TRUE(daily.Add({"a", time, 8000, use}));
  }
  EXPECT_GT(weekly.Value(), 4);
  EXPECT_GT(daily.Value(), 4);
  for (int hour = 0; hour < 48; ++hour) {  // a holiday
    const std::vector<std::optional<int64_t>> use = {500};
    const Time time = kMonday + std::chrono::hours(14 * 24 + hour);
    EXPECT_TRUE(weekly.Add({"a", time, 8000, use}));
    EXPECT_TRUE(daily.Add({"a", time, 8000, use}));
  }
  EXPECT_GT(weekly.Value(), 4);
  EXPECT_LT(daily.Value(), 1);
}

}  // namespace
}  // namespace huygens::recommend
