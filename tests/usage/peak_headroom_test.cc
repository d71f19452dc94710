#include "usage/peak_headroom.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace huygens::usage {
namespace {

RC_GTEST_PROP(PeakHeadroom, RoundsAgainstThePodAndHardlyAtAll, ()) {
  const auto amount = *rc::gen::oneOf(rc::gen::inRange<int64_t>(-100, 100), rc::gen::arbitrary<int64_t>(),
                                      rc::gen::element(INT64_MIN, INT64_MAX, int64_t{1} << 24, (int64_t{1} << 24) + 1));
  const long double left = PeakHeadroom::Left(amount), needed = PeakHeadroom::Needed(amount);
  const auto exact = static_cast<long double>(amount);
  RC_ASSERT(left <= exact);
  RC_ASSERT(needed >= exact);
  RC_ASSERT(needed - left <= std::max(std::abs(exact), 1.0L) / (1 << 22));
}

TEST(PeakHeadroom, AnAmountThatAFloatHoldsFitsInItself) {
  for (int64_t amount : {int64_t{0}, int64_t{1}, int64_t{16'000}, int64_t{1} << 40}) {
    EXPECT_LE(PeakHeadroom::Needed(amount), PeakHeadroom::Left(amount)) << amount;
  }
}

TEST(PeakHeadroom, ANewNodeHasNoLimitAndWhatIsNotLookedAtFitsAnywhere) {
  PeakHeadroom look(2);
  look.Resize(2);
  EXPECT_EQ(look.Of(1)[0], PeakHeadroom::kNoLimit);
  EXPECT_LE(PeakHeadroom::Needed(INT64_MAX), look.Of(1)[1]);
  look.At(1, 1) = PeakHeadroom::kUnknown;
  EXPECT_EQ(look.Of(1)[0], PeakHeadroom::kNoLimit);
  EXPECT_GT(PeakHeadroom::Needed(0), look.Of(1)[1]);
  EXPECT_LE(PeakHeadroom::kNothing, look.Of(1)[1]);
}

}  // namespace
}  // namespace huygens::usage
