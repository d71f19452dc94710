#include "real_capacity/write_rate.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <vector>

namespace huygens::real_capacity {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(WriteRate, BeginsWithOneAndGoesOnAtItsPace) {
  WriteRate rate(10);
  EXPECT_FALSE(rate.Take(seconds(5)));
  const auto wait = rate.Take(seconds(5));
  ASSERT_TRUE(wait);
  EXPECT_EQ(*wait, milliseconds(100) + Duration(1));
  EXPECT_FALSE(rate.Take(seconds(5) + *wait));
}

TEST(WriteRate, SavesNoMoreThanASecond) {
  WriteRate rate(10);
  EXPECT_FALSE(rate.Take(seconds(0)));
  int taken = 0;
  while (!rate.Take(std::chrono::hours(1))) ++taken;
  EXPECT_EQ(taken, 10);
}

// Whoever asks, and however often: in no span of time more than its pace and a second's worth; and who waits as he was
// told gets one.
RC_GTEST_PROP(WriteRateProperty, NeverExceedsItsPace, ()) {
  const int per_second = *rc::gen::inRange(1, 50);
  WriteRate rate(per_second);
  Duration now{};
  std::vector<Duration> taken;
  for (int i = 0; i < 300; ++i) {
    now += Duration(*rc::gen::inRange<int64_t>(0, 200'000'000));
    if (const auto wait = rate.Take(now)) {
      RC_ASSERT(*wait > Duration::zero());
      if (*rc::gen::arbitrary<bool>()) continue;
      now += *wait;
      RC_ASSERT(!rate.Take(now));
    }
    taken.push_back(now);
  }
  for (size_t i = 0; i < taken.size(); ++i) {
    for (size_t j = i; j < taken.size(); ++j) {
      const double span = std::chrono::duration<double>(taken[j] - taken[i]).count();
      RC_ASSERT(static_cast<double>(j - i + 1) <= per_second * (span + 1) + 1e-6);
    }
  }
}

}  // namespace
}  // namespace huygens::real_capacity
