#include "wire/webhook_configuration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace huygens::wire {
namespace {

TEST(WebhookConfiguration, SaysByWhichNameAndByWhomAWebhookIsBelieved) {
  const auto read = DecodeWebhookConfiguration(R"({"metadata":{"name":"w","resourceVersion":"7"},"webhooks":[
      {"name":"a","clientConfig":{"service":{"name":"door","namespace":"kube-system","path":"/validate"},"caBundle":"cGVt"}},
      {"name":"b","clientConfig":{"url":"https://127.0.0.1:8443/validate","caBundle":"?"}},
      {"name":"c","clientConfig":{"url":"https://[::1]:8443"}},
      {"name":"d","clientConfig":{"url":"https://door.example.com/x"}}]})");
  ASSERT_TRUE(read.ok()) << read.status();
  ASSERT_EQ(read->webhooks.size(), 4U);
  EXPECT_EQ(read->webhooks[0].host, "door.kube-system.svc");
  EXPECT_EQ(read->webhooks[0].ca_bundle, "pem");
  EXPECT_EQ(read->webhooks[1].host, "127.0.0.1");
  EXPECT_EQ(read->webhooks[1].ca_bundle, "");
  EXPECT_EQ(read->webhooks[2].host, "::1");
  EXPECT_EQ(read->webhooks[3].host, "door.example.com");
}

TEST(WebhookConfiguration, IsNamedWithItsKindWhereItIsAMutatingOne) {
  const std::string path = "/apis/admissionregistration.k8s.io/v1/";
  EXPECT_EQ(WebhookConfigurationPath("huygens-webhook"), path + "validatingwebhookconfigurations/huygens-webhook");
  EXPECT_EQ(WebhookConfigurationPath("MutatingWebhookConfiguration/huygens-overcommit"),
            path + "mutatingwebhookconfigurations/huygens-overcommit");
  EXPECT_EQ(ParseWebhookConfigurationReference("MutatingWebhookConfiguration/a").name, "a");
  EXPECT_EQ(ParseWebhookConfigurationReference("a").kind, "ValidatingWebhookConfiguration");
}

}  // namespace
}  // namespace huygens::wire
