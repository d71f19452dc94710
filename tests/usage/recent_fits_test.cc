#include "usage/recent_fits.h"

#include <gtest/gtest.h>

#include <bit>
#include <limits>

namespace huygens::usage {
namespace {

constexpr size_t kSlots = 4;
constexpr int kMost = std::numeric_limits<RecentFits::Bits>::digits;

class RecentFitsTest : public testing::Test {
 protected:
  RecentFitsTest() { fits_.Resize(2); }

  // Of the same peak, whatever the number.
  RecentFits::Known Ask(int64_t number) {
    Demand demand;
    demand.resources.push_back({.peak = 1000, .curve = {1000, number, 0, 0}});
    return fits_.Remember(demand, kSlots);
  }

  RecentFits fits_;
};

TEST_F(RecentFitsTest, ADemandIsKnownAgainWithItsOutline) {
  const RecentFits::Known first = Ask(1), other = Ask(2), again = Ask(1);
  EXPECT_EQ(std::popcount(fits_.BitOf(first)), 1);
  EXPECT_EQ(fits_.BitOf(again), fits_.BitOf(first));
  EXPECT_EQ(again.quantized, first.quantized);
  EXPECT_NE(fits_.BitOf(other), fits_.BitOf(first));
  EXPECT_NE(other.quantized, first.quantized);
  EXPECT_EQ(fits_.BitOf(fits_.Find(Demand(), kSlots)), 0u) << "that nobody remembers";
}

TEST_F(RecentFitsTest, TheOneNotAskedAboutForLongestMakesRoom) {
  const RecentFits::Known oldest = Ask(0), second = Ask(1);
  for (int number = 2; number < kMost; ++number) Ask(number);
  EXPECT_EQ(fits_.BitOf(Ask(0)), fits_.BitOf(oldest)) << "still there, and the newest now";
  const RecentFits::Bits freed = fits_.BitOf(second);
  fits_.data()[0] = fits_.data()[1] = ~RecentFits::Bits{0};
  const RecentFits::Known newest = Ask(kMost);
  EXPECT_EQ(fits_.BitOf(newest), freed);
  EXPECT_EQ(fits_.data()[0], ~freed) << "nothing is known of the new one";
  EXPECT_EQ(fits_.data()[1], ~freed);
  EXPECT_EQ(fits_.BitOf(second), 0u) << "must not speak for the new one";
  EXPECT_NE(fits_.BitOf(oldest), 0u);
}

TEST_F(RecentFitsTest, ANodeIsForgottenForAll) {
  fits_.data()[0] = fits_.data()[1] = fits_.BitOf(Ask(1)) | fits_.BitOf(Ask(2));
  fits_.Forget(1);
  EXPECT_NE(fits_.data()[0], 0u);
  EXPECT_EQ(fits_.data()[1], 0u);
}

}  // namespace
}  // namespace huygens::usage
