#include "base/millionths.h"

#include <gtest/gtest.h>

namespace huygens {
namespace {

TEST(Millionths, AreExactlyWhatIsWritten) {
  EXPECT_EQ(ParseMillionths("0.8"), 800'000);
  EXPECT_EQ(ParseMillionths("0.07"), 70'000);
  EXPECT_EQ(ParseMillionths("0.000001"), 1);
  EXPECT_EQ(ParseMillionths("0"), 0);
  EXPECT_EQ(ParseMillionths("1"), 1'000'000);
  EXPECT_EQ(ParseMillionths("01.50"), 1'500'000);
  EXPECT_EQ(ParseMillionths("70%"), 700'000);
  EXPECT_EQ(ParseMillionths("12.3456%"), 123'456);
  EXPECT_EQ(ParseMillionths("0.3000000000"), 300'000);
  EXPECT_EQ(ParseMillionths("999999.999999"), 999'999'999'999);
}

TEST(Millionths, RefuseWhatTheyCannotHold) {
  for (const char* text : {"", "%", ".5", "5.", "5.%", "-0.5", "+1", "1e-1", "0.0000001", "0.00001%", "0.5 ", "0,5",
                           "1.2.3", "nan", "0x1", "1000000", "half", "50%%", "\0"}) {
    EXPECT_EQ(ParseMillionths(text), std::nullopt) << text;
  }
}

TEST(Millionths, ArePrintedAsTheyAreRead) {
  for (int64_t value : {0, 1, 10, 70'000, 123'456, 500'000, 800'000, 999'999, 1'000'000, 1'050'000, 10'000'000}) {
    EXPECT_EQ(ParseMillionths(MillionthsText(value)), value) << MillionthsText(value);
  }
  EXPECT_EQ(MillionthsText(800'000), "0.8");
  EXPECT_EQ(MillionthsText(1'000'000), "1");
  EXPECT_EQ(MillionthsText(10'050'000), "10.05");
}

}  // namespace
}  // namespace huygens
