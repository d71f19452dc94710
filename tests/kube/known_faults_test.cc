#include "kube/known_faults.h"

#include <gtest/gtest.h>

namespace huygens::kube {
namespace {

TEST(KnownFaults, AreToldWhenTheyComeOrChange) {
  KnownFaults faults;
  EXPECT_FALSE(faults.IsNews("a", ""));
  EXPECT_TRUE(faults.IsNews("a", "torn"));
  EXPECT_FALSE(faults.IsNews("a", "torn"));
  EXPECT_TRUE(faults.IsNews("b", "torn")) << "each object by itself";
  EXPECT_TRUE(faults.IsNews("a", "burnt"));
  EXPECT_FALSE(faults.IsNews("a", ""));
  EXPECT_TRUE(faults.IsNews("a", "burnt")) << "again";
}

TEST(KnownFaults, OfObjectsThatAListDoesNotNameAreForgotten) {
  KnownFaults faults;
  faults.IsNews("a", "torn");
  faults.IsNews("b", "torn");
  faults.ListBegin();  // of two pages, broken off after one
  EXPECT_FALSE(faults.IsNews("b", "torn"));
  faults.ListBegin();
  EXPECT_FALSE(faults.IsNews("a", "torn"));
  EXPECT_TRUE(faults.Knows("b"));
  EXPECT_EQ(faults.ListEnd(), std::vector<std::string>{"b"});
  EXPECT_FALSE(faults.Knows("b"));
  EXPECT_FALSE(faults.IsNews("a", "torn"));
  EXPECT_TRUE(faults.IsNews("b", "torn"));
}

}  // namespace
}  // namespace huygens::kube
