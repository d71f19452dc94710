#include "usage/first_look.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace huygens::usage {
namespace {

RC_GTEST_PROP(FirstLook, RoundsAgainstThePodAndHardlyAtAll, ()) {
  const auto amount = *rc::gen::oneOf(rc::gen::inRange<int64_t>(-100, 100), rc::gen::arbitrary<int64_t>(),
                                      rc::gen::element(INT64_MIN, INT64_MAX, int64_t{1} << 24, (int64_t{1} << 24) + 1));
  const long double left = FirstLook::Left(amount), needed = FirstLook::Needed(amount);
  const auto exact = static_cast<long double>(amount);
  RC_ASSERT(left <= exact);
  RC_ASSERT(needed >= exact);
  RC_ASSERT(needed - left <= std::max(std::abs(exact), 1.0L) / (1 << 22));
}

TEST(FirstLook, AnAmountThatAFloatHoldsFitsInItself) {
  for (int64_t amount : {int64_t{0}, int64_t{1}, int64_t{16'000}, int64_t{1} << 40}) {
    EXPECT_LE(FirstLook::Needed(amount), FirstLook::Left(amount)) << amount;
  }
}

TEST(FirstLook, ANewNodeHasNoLimitAndWhatIsNotLookedAtFitsAnywhere) {
  FirstLook look(2);
  look.Resize(2);
  EXPECT_EQ(look.Of(1)[0], FirstLook::kNoLimit);
  EXPECT_LE(FirstLook::Needed(INT64_MAX), look.Of(1)[1]);
  look.At(1, 1) = FirstLook::kUnknown;
  EXPECT_EQ(look.Of(1)[0], FirstLook::kNoLimit);
  EXPECT_GT(FirstLook::Needed(0), look.Of(1)[1]);
  EXPECT_LE(FirstLook::kNothing, look.Of(1)[1]);
}

}  // namespace
}  // namespace huygens::usage
