#include "base/interned_string.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

namespace huygens {
namespace {

TEST(InternedString, ReadsAsTheTextItWasMadeOf) {
  const InternedString text = "node-1";
  EXPECT_EQ(text, "node-1");
  EXPECT_EQ(std::string(text), "node-1");
  EXPECT_EQ(std::string_view(text), "node-1");
  EXPECT_EQ(text, InternedString(std::string("node-1")));
  EXPECT_NE(text, InternedString("node-2"));
  EXPECT_LT(text, InternedString("node-2"));
  EXPECT_FALSE(text.empty());
  EXPECT_EQ(sizeof(text), sizeof(void*));
  const std::string with_zero("a\0b", 3);
  EXPECT_EQ(std::string(InternedString(with_zero)), with_zero);
}

TEST(InternedString, NoTextIsEmpty) {
  InternedString text;
  EXPECT_TRUE(text.empty());
  EXPECT_EQ(text, "");
  EXPECT_EQ(text, InternedString(""));
  text = "a";
  EXPECT_FALSE(text.empty());
  text.clear();
  EXPECT_TRUE(text.empty());
  EXPECT_LT(text, InternedString("a"));
}

TEST(InternedString, EqualOnesAreKeptOnceAndAsLongAsAnybodyHasThem) {
  const size_t before = InternedString::Count();
  {
    InternedString one = "kept once";
    InternedString same = std::string("kept ") + "once";
    InternedString other = "another";
    EXPECT_EQ(std::string_view(one).data(), std::string_view(same).data());
    EXPECT_EQ(InternedString::Count(), before + 2);
    InternedString copy = other;
    other = one;
    EXPECT_EQ(InternedString::Count(), before + 2);
    EXPECT_EQ(copy, "another");
    copy = std::move(one);
    EXPECT_EQ(InternedString::Count(), before + 1);
    EXPECT_EQ(copy, "kept once");
  }
  EXPECT_EQ(InternedString::Count(), before);
}

// For the thread sanitizer, and for the count: a text that one thread drops another may just be taking up.
TEST(InternedString, ThreadsShareThem) {
  const size_t before = InternedString::Count();
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([] {
      for (int i = 0; i < 20'000; ++i) {
        const std::string expected = "text-" + std::to_string(i % 3);
        const InternedString text = expected;
        InternedString copy = text;
        ASSERT_EQ(copy, expected);
        copy.clear();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(InternedString::Count(), before);
}

}  // namespace
}  // namespace huygens
