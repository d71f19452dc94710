#include "base/shared_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

namespace huygens {
namespace {

TEST(SharedText, ReadsAsTheTextItWasMadeOf) {
  const SharedText text = "node-1";
  EXPECT_EQ(text, "node-1");
  EXPECT_EQ(std::string(text), "node-1");
  EXPECT_EQ(std::string_view(text), "node-1");
  EXPECT_EQ(text, SharedText(std::string("node-1")));
  EXPECT_NE(text, SharedText("node-2"));
  EXPECT_LT(text, SharedText("node-2"));
  EXPECT_FALSE(text.empty());
  EXPECT_EQ(sizeof(text), sizeof(void*));
  const std::string with_zero("a\0b", 3);
  EXPECT_EQ(std::string(SharedText(with_zero)), with_zero);
}

TEST(SharedText, NoTextIsEmpty) {
  SharedText text;
  EXPECT_TRUE(text.empty());
  EXPECT_EQ(text, "");
  EXPECT_EQ(text, SharedText(""));
  text = "a";
  EXPECT_FALSE(text.empty());
  text.clear();
  EXPECT_TRUE(text.empty());
  EXPECT_LT(text, SharedText("a"));
}

TEST(SharedText, EqualOnesAreKeptOnceAndAsLongAsAnybodyHasThem) {
  const size_t before = SharedText::Count();
  {
    SharedText one = "kept once";
    SharedText same = std::string("kept ") + "once";
    SharedText other = "another";
    EXPECT_EQ(std::string_view(one).data(), std::string_view(same).data());
    EXPECT_EQ(SharedText::Count(), before + 2);
    SharedText copy = other;
    other = one;
    EXPECT_EQ(SharedText::Count(), before + 2);
    EXPECT_EQ(copy, "another");
    copy = std::move(one);
    EXPECT_EQ(SharedText::Count(), before + 1);
    EXPECT_EQ(copy, "kept once");
  }
  EXPECT_EQ(SharedText::Count(), before);
}

// For the thread sanitizer, and for the count: a text that one thread drops another may just be taking up.
TEST(SharedText, ThreadsShareThem) {
  const size_t before = SharedText::Count();
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([] {
      for (int i = 0; i < 20'000; ++i) {
        const std::string expected = "text-" + std::to_string(i % 3);
        const SharedText text = expected;
        SharedText copy = text;
        ASSERT_EQ(copy, expected);
        copy.clear();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(SharedText::Count(), before);
}

}  // namespace
}  // namespace huygens
