#include "preflight/scheduler_configuration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace huygens::preflight {
namespace {

using testing::ElementsAre;

TEST(SchedulerConfiguration, HasItsExtendersAndNoSecrets) {
  const auto scheduler = DecodeSchedulerConfiguration(R"({"kind":"KubeSchedulerConfiguration",
      "profiles":[{"percentageOfNodesToScore":50},{}],
      "extenders":[{"urlPrefix":"http://a","tlsConfig":{"keyData":"U0VDUkVU"},"managedResources":[{"name":"a/b"}]},
                   {"httpTimeout":"1m30s","ignorable":true}]})");
  ASSERT_TRUE(scheduler.ok()) << scheduler.status();
  EXPECT_THAT(scheduler->profiles, ElementsAre(50, std::nullopt));
  ASSERT_EQ(scheduler->extenders.size(), 2u);
  EXPECT_TRUE(scheduler->extenders[0].tls.key_data);
  EXPECT_EQ(scheduler->extenders[0].managed_resources, 1u);
  EXPECT_EQ(scheduler->extenders[0].http_timeout, std::chrono::seconds(5)) << "kube-scheduler's default";
  EXPECT_EQ(scheduler->extenders[1].http_timeout, std::chrono::seconds(90));
  EXPECT_TRUE(scheduler->extenders[1].ignorable);
  EXPECT_FALSE(DecodeSchedulerConfiguration(R"({"extenders":[{"httpTimeout":"soon"}]})").ok());
  EXPECT_FALSE(DecodeSchedulerConfiguration(R"({"extenders":{}})").ok());
}

}  // namespace
}  // namespace huygens::preflight
