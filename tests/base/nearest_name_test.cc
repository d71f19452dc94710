#include "base/nearest_name.h"

#include <gtest/gtest.h>

namespace huygens {
namespace {

TEST(NearestName, FindsTyposAndNothingFarther) {
  const std::string_view names[] = {"address", "adminAddress", "tls", "narrowTo"};
  EXPECT_EQ(NearestName("adress", names), "address");
  EXPECT_EQ(NearestName("NARROWTO", names), "narrowTo");
  EXPECT_EQ(NearestName("narrwoTo", names), "narrowTo");
  EXPECT_EQ(NearestName("tsl", names), "tls");
  EXPECT_EQ(NearestName("adminaddres", names), "adminAddress");
  EXPECT_EQ(NearestName("gravity", names), "");
  EXPECT_EQ(NearestName("", names), "");
  EXPECT_EQ(NearestName(std::string(1000, 'a'), names), "");
}

TEST(NearestName, OfEqualsTheFirstAndNeverANameOfAnotherLength) {
  constexpr std::string_view kNames[] = {"team-a", "team-b", "t"};
  EXPECT_EQ(NearestName("team-c", kNames), "team-a");
  EXPECT_EQ(NearestName("team", kNames), "") << "two letters are too many of four";
  EXPECT_EQ(NearestName("te", kNames), "t");
}

}  // namespace
}  // namespace huygens
