#include "base/boxed.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace huygens {
namespace {

struct Pair {
  std::string first;
  std::string second;
};

TEST(Boxed, IsEmptyUntilItGetsAValue) {
  Boxed<Pair> box;
  EXPECT_FALSE(box.has_value());
  EXPECT_FALSE(box);
  EXPECT_FALSE(Boxed<Pair>(box).has_value());
  box = {"a", "b"};
  ASSERT_TRUE(box.has_value());
  EXPECT_EQ(box->second, "b");
  EXPECT_EQ(box.emplace("c", "d").first, "c");
  EXPECT_EQ((*box).first, "c");
  box.reset();
  EXPECT_FALSE(box.has_value());
  EXPECT_EQ(sizeof(box), sizeof(void*));
}

TEST(Boxed, ACopyHasAValueOfItsOwn) {
  Boxed<std::string> one = std::string("one");
  Boxed<std::string> other = one;
  *other += "!";
  EXPECT_EQ(*one, "one");
  one = other;
  EXPECT_EQ(*one, "one!");
  one->clear();
  EXPECT_EQ(*other, "one!");
  Boxed<std::string> moved = std::move(other);
  EXPECT_EQ(*moved, "one!");
  one = Boxed<std::string>();
  EXPECT_FALSE(one);
}

}  // namespace
}  // namespace huygens
