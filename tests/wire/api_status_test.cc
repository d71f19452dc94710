#include "wire/api_status.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/wire/samples.h"

namespace huygens::wire {
namespace {

using testing::HasSubstr;

TEST(ApiStatus, ReadsCodeReasonAndRetry) {
  auto status = DecodeApiStatus(
      R"({"kind":"Status","status":"Failure","reason":"TooManyRequests","code":429,"details":{"retryAfterSeconds":2}})");
  ASSERT_TRUE(status.ok()) << status.status();
  EXPECT_FALSE(status->success);
  EXPECT_EQ(status->code, 429);
  EXPECT_EQ(status->reason, "TooManyRequests");
  EXPECT_EQ(status->retry_after_seconds, 2);
  status = DecodeApiStatus(
      R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success","code":201,"details":null})");
  ASSERT_TRUE(status.ok());
  EXPECT_TRUE(status->success);
  EXPECT_FALSE(status->retry_after_seconds.has_value());
}

TEST(ApiStatus, RefusesOtherKinds) {
  EXPECT_THAT(std::string(Message(DecodeApiStatus(samples::kLease).status())), HasSubstr("not Status"));
  EXPECT_FALSE(DecodeApiStatus(samples::kPod).ok());
  EXPECT_FALSE(DecodeApiStatus("<html>bad gateway</html>").ok());
  EXPECT_FALSE(DecodeApiStatus("").ok());
}

}  // namespace
}  // namespace huygens::wire
