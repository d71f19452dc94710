#include "base/time.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace huygens {
namespace {

Time At(int64_t seconds, int64_t nanos = 0) { return Time(std::chrono::seconds(seconds) + Duration(nanos)); }

TEST(Rfc3339, ReadsWhatKubernetesWrites) {
  EXPECT_EQ(*ParseRfc3339("1970-01-01T00:00:00Z"), At(0));
  EXPECT_EQ(*ParseRfc3339("2026-11-21T11:36:17Z"), At(1795260977));
  EXPECT_EQ(*ParseRfc3339("2026-11-21T11:36:17.000042Z"), At(1795260977, 42'000));
  EXPECT_EQ(*ParseRfc3339("2026-11-21T12:36:17+01:00"), At(1795260977));
  EXPECT_EQ(*ParseRfc3339("2026-11-21T01:06:17.5-10:30"), At(1795260977, 500'000'000));
  EXPECT_EQ(*ParseRfc3339("1969-12-31T23:59:59.999999999Z"), At(0, -1));
  EXPECT_EQ(*ParseRfc3339("2024-02-29T00:00:00Z"), At(1709164800));
}

TEST(Rfc3339, DropsDigitsBelowTheNanosecond) {
  EXPECT_EQ(*ParseRfc3339("1970-01-01T00:00:00.1234567899999Z"), At(0, 123456789));
}

TEST(Rfc3339, RefusesOtherText) {
  for (std::string_view text : {"",
                                "2026",
                                "2026-11-21",
                                "2026-11-21T11:36:17",
                                "2026-11-21 11:36:17Z",
                                "2026-11-21t11:36:17z",
                                "2026-11-21T11:36Z",
                                "2026-11-21T11:36:17.Z",
                                "2026-11-21T11:36:17Zx",
                                "2026-11-21T11:36:17+0100",
                                "2026-11-21T11:36:17+24:00",
                                "2026-11-21T11:36:17+01:60",
                                "2026-11-21T24:00:00Z",
                                "2026-11-21T11:60:00Z",
                                "2026-11-21T11:36:60Z",
                                "2026-13-01T00:00:00Z",
                                "2026-00-01T00:00:00Z",
                                "2026-02-29T00:00:00Z",
                                "2026-11-31T00:00:00Z",
                                "-026-11-21T11:36:17Z",
                                "2026-11-2 T11:36:17Z"}) {
    StatusOr<Time> time = ParseRfc3339(text);
    EXPECT_FALSE(time.ok()) << text;
  }
}

TEST(Rfc3339, RefusesYearsThatNanosecondsCannotCount) {
  EXPECT_EQ(ParseRfc3339("0001-01-01T00:00:00Z").status().code(), absl::StatusCode::kOutOfRange);
  EXPECT_EQ(ParseRfc3339("9999-12-31T23:59:59Z").status().code(), absl::StatusCode::kOutOfRange);
  EXPECT_TRUE(ParseRfc3339("1678-01-01T00:00:00Z").ok());
  EXPECT_TRUE(ParseRfc3339("2261-12-31T23:59:59Z").ok());
}

TEST(Rfc3339, WritesUtc) {
  EXPECT_EQ(FormatRfc3339(At(1795260977, 999'999'999)), "2026-11-21T11:36:17Z");
  EXPECT_EQ(FormatRfc3339Micro(At(1795260977, 42'999)), "2026-11-21T11:36:17.000042Z");
  EXPECT_EQ(FormatRfc3339(At(0, -1)), "1969-12-31T23:59:59Z");
  EXPECT_EQ(FormatRfc3339Micro(At(0, -1)), "1969-12-31T23:59:59.999999Z");
}

RC_GTEST_PROP(Rfc3339, ReadsBackWhatItWrote, (int64_t nanos)) {
  Time time{Duration(nanos)};
  RC_ASSERT(*ParseRfc3339(FormatRfc3339(time)) == std::chrono::floor<std::chrono::seconds>(time));
  RC_ASSERT(*ParseRfc3339(FormatRfc3339Micro(time)) == std::chrono::floor<std::chrono::microseconds>(time));
}

TEST(SystemClock, ReadsTheWallClock) {
  Time before = std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
  Time now = SystemClock().Now();
  Time after = std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
  EXPECT_LE(before, now);
  EXPECT_LE(now, after);
}

TEST(ParseDuration, ReadsGoAndDays) {
  using std::chrono::hours;
  EXPECT_EQ(*ParseDuration("0"), Duration(0));
  EXPECT_EQ(*ParseDuration("-0"), Duration(0));
  EXPECT_EQ(*ParseDuration("0s"), Duration(0));
  EXPECT_EQ(*ParseDuration("1ns"), Duration(1));
  EXPECT_EQ(*ParseDuration("1us"), Duration(1'000));
  EXPECT_EQ(*ParseDuration("1\u00b5s"), Duration(1'000));
  EXPECT_EQ(*ParseDuration("1\u03bcs"), Duration(1'000));
  EXPECT_EQ(*ParseDuration("250ms"), Duration(250'000'000));
  EXPECT_EQ(*ParseDuration("180s"), std::chrono::minutes(3));
  EXPECT_EQ(*ParseDuration("1.5h"), std::chrono::minutes(90));
  EXPECT_EQ(*ParseDuration("1h30m"), std::chrono::minutes(90));
  EXPECT_EQ(*ParseDuration("7d"), hours(168));
  EXPECT_EQ(*ParseDuration("1d12h"), hours(36));
  EXPECT_EQ(*ParseDuration(".5s"), Duration(500'000'000));
  EXPECT_EQ(*ParseDuration("5.s"), std::chrono::seconds(5));
  EXPECT_EQ(*ParseDuration("+5s"), std::chrono::seconds(5));
  EXPECT_EQ(*ParseDuration("-1h15m30.918273645s"), -(std::chrono::seconds(4530) + Duration(918273645)));
  EXPECT_EQ(*ParseDuration("0.3333333333333333333h"), std::chrono::minutes(20) - Duration(1));
  EXPECT_EQ(*ParseDuration("9223372036854775807ns"), Duration::max());
}

TEST(ParseDuration, RefusesOtherText) {
  for (std::string_view text : {"", "-", "+", "3", "3.5", "s", ".s", "1x", "1 s", " 1s", "1s ", "1h30", "--1s", "1e3s",
                                "1S", "1µ", "1w", "1..5s"}) {
    EXPECT_EQ(ParseDuration(text).status().code(), absl::StatusCode::kInvalidArgument) << text;
  }
}

TEST(ParseDuration, RefusesWhatDoesNotFit) {
  for (std::string_view text :
       {"9223372036854775808ns", "106752d", "9999999999999999999999999999999999999999999999h", "106751d106751d"}) {
    EXPECT_EQ(ParseDuration(text).status().code(), absl::StatusCode::kOutOfRange) << text;
  }
}

RC_GTEST_PROP(ParseDuration, ReadsBackNanoseconds, (int64_t nanos)) {
  RC_PRE(nanos != std::numeric_limits<int64_t>::min());
  RC_ASSERT(*ParseDuration(std::to_string(nanos) + "ns") == Duration(nanos));
}

}  // namespace
}  // namespace huygens
