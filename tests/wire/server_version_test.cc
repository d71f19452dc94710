#include "wire/server_version.h"

#include <gtest/gtest.h>

namespace huygens::wire {
namespace {

TEST(ServerVersion, HasTwoNumbers) {
  const auto version = DecodeServerVersion(R"({"major":"1","minor":"31+","gitVersion":"v1.31.2-gke.1"})");
  ASSERT_TRUE(version.ok()) << version.status();
  EXPECT_EQ(version->major, 1);
  EXPECT_EQ(version->minor, 31);
  EXPECT_FALSE(DecodeServerVersion("{}").ok());
  EXPECT_FALSE(DecodeServerVersion(R"({"major":"1","minor":"x"})").ok());
  EXPECT_FALSE(DecodeServerVersion(R"({"major":"1","minor":31})").ok());
  EXPECT_LT((ServerVersion{1, 9}), (ServerVersion{1, 31}));
}

}  // namespace
}  // namespace huygens::wire
