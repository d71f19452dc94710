// What kubelet, kube-scheduler, the API server and access reviews say of themselves.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "wire/access_review.h"
#include "wire/kubelet_configuration.h"
#include "wire/scheduler_configuration.h"
#include "wire/server_version.h"

namespace huygens::wire {
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

TEST(AccessReview, AsksForOneselfOrForAServiceAccount) {
  EXPECT_EQ(AccessReviewText({.verb = "create", .resource = "pods", .subresource = "binding"}),
            R"({"apiVersion":"authorization.k8s.io/v1","kind":"SelfSubjectAccessReview","spec":{"resourceAttributes":{)"
            R"("verb":"create","resource":"pods","subresource":"binding"}}})");
  EXPECT_EQ(AccessReviewText({.verb = "get",
                              .group = "coordination.k8s.io",
                              .resource = "leases",
                              .namespace_name = "s",
                              .name = "l",
                              .service_account = "a/b"}),
            R"({"apiVersion":"authorization.k8s.io/v1","kind":"SubjectAccessReview","spec":{"resourceAttributes":{)"
            R"("verb":"get","group":"coordination.k8s.io","resource":"leases","namespace":"s","name":"l"},)"
            R"("user":"system:serviceaccount:a:b","groups":["system:authenticated","system:serviceaccounts",)"
            R"("system:serviceaccounts:a"]}})");
  EXPECT_TRUE(*DecodeAccessReview(R"({"status":{"allowed":true,"reason":"RBAC"}})"));
  EXPECT_FALSE(*DecodeAccessReview(R"({"status":{"allowed":false}})"));
  EXPECT_FALSE(DecodeAccessReview(R"({"status":{}})").ok());
}

}  // namespace
}  // namespace huygens::wire
