#include "base/percent_encoding.h"

#include <gtest/gtest.h>

namespace huygens {
namespace {

TEST(PercentEncoding, WritesTwoDigitsForAnyByte) {
  std::string text = "a";
  AppendPercentEncoded(text, '/');
  AppendPercentEncoded(text, '\0');
  AppendPercentEncoded(text, '\xFF');
  EXPECT_EQ(text, "a%2F%00%FF");
}

TEST(PercentEncoding, ReadsWhatIsEncodedAndLeavesTheRest) {
  EXPECT_EQ(PercentDecoded("a%2Fb%2f"), "a/b/");
  EXPECT_EQ(PercentDecoded("100%"), "100%");
  EXPECT_EQ(PercentDecoded("%4"), "%4");
  EXPECT_EQ(PercentDecoded("%zz%41"), "%zzA");
}

}  // namespace
}  // namespace huygens
