#include "preflight/kubelet_configuration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace huygens::preflight {
namespace {

using testing::ElementsAre;
using testing::Pair;

TEST(Configz, HasThePoliciesAndOptionsOfKubelet) {
  const auto kubelet = DecodeConfigz(R"({"kubeletconfig":{"cpuManagerPolicy":"static","topologyManagerScope":"pod",
      "cpuManagerPolicyOptions":{"full-pcpus-only":"true","align-by-socket":"false"},"maxPods":110}})");
  ASSERT_TRUE(kubelet.ok()) << kubelet.status();
  EXPECT_EQ(kubelet->cpu_manager_policy, "static");
  EXPECT_EQ(kubelet->topology_manager_scope, "pod");
  EXPECT_THAT(kubelet->cpu_manager_policy_options,
              ElementsAre(Pair("full-pcpus-only", "true"), Pair("align-by-socket", "false")));
  EXPECT_FALSE(DecodeConfigz("{}").ok());
  EXPECT_FALSE(DecodeConfigz("404 page not found").ok());
  EXPECT_FALSE(DecodeConfigz(R"({"kubeletconfig":{"cpuManagerPolicyOptions":{"a":true}}})").ok());
}

}  // namespace
}  // namespace huygens::preflight
