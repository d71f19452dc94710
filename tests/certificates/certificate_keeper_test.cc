#include "certificates/certificate_keeper.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <thread>

#include "certificates/secret.h"
#include "net/issue_certificate.h"
#include "tests/base/clock.h"
#include "tests/fake/api_server.h"
#include "wire/webhook_configuration.h"

namespace huygens::certificates {
namespace {

using testing::Each;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

constexpr char kWebhooks[] = R"({"apiVersion":"admissionregistration.k8s.io/v1","kind":"ValidatingWebhookConfiguration",
    "metadata":{"name":"huygens-webhook"},"webhooks":[
      {"name":"groups.quota.huygens.dev","failurePolicy":"Fail","clientConfig":{"service":{"name":"huygens-webhook"}}},
      {"name":"scale.quota.huygens.dev","clientConfig":{"caBundle":"bm90aGluZw=="}}]})";

class CertificateKeeperTest : public testing::Test {
 protected:
  CertificateKeeperTest() { server_.Put(kWebhooks); }

  StatusOr<CertificatesKept> Keep(net::Client& client, Time now = test::kNow) {
    return KeepCertificates(client, options_, now);
  }
  StatusOr<CertificatesKept> Keep(Time now = test::kNow) { return Keep(*client_, now); }
  Secret Stored() const {
    return DecodeSecret(server_.Get(fake::kSecrets, "kube-system", "huygens-webhook-tls")).value_or(Secret());
  }
  wire::WebhookConfiguration Webhooks() const {
    return *wire::DecodeWebhookConfiguration(server_.Get(fake::kValidatingWebhooks, "", "huygens-webhook"));
  }
  std::vector<std::string> Bundles() const {
    std::vector<std::string> bundles;
    for (const auto& each : Webhooks().webhooks) bundles.push_back(each.ca_bundle);
    return bundles;
  }
  std::unique_ptr<net::Client> Client() const { return *net::Client::Create(server_.Options()); }

  fake::ApiServer server_;
  const std::unique_ptr<net::Client> client_ = Client();
  const CertificateKeeperOptions options_{.rules = {.dns_names = {"huygens-webhook.kube-system.svc"}}};
};

TEST_F(CertificateKeeperTest, MakesTheSecretAndTellsTheWebhooks) {
  const auto kept = Keep();
  ASSERT_TRUE(kept.ok()) << kept.status();
  EXPECT_THAT(kept->news, SizeIs(2));
  EXPECT_EQ(Stored().type, "kubernetes.io/tls");
  EXPECT_EQ(Stored().managed_by, "huygens");
  EXPECT_THAT(Bundles(), Each(Stored().data["ca.crt"]));
  EXPECT_TRUE(net::IsSignedBy(Stored().data["tls.crt"], Bundles()[1]));
  EXPECT_THAT(server_.Get(fake::kValidatingWebhooks, "", "huygens-webhook"), HasSubstr(R"("failurePolicy":"Fail")"));
}

TEST_F(CertificateKeeperTest, WritesNothingWhereAllIsAsItMustBe) {
  ASSERT_TRUE(Keep().ok());
  const uint64_t before = server_.version();
  const auto kept = Keep(test::kNow + std::chrono::hours(1));
  ASSERT_TRUE(kept.ok()) << kept.status();
  EXPECT_THAT(kept->news, IsEmpty());
  EXPECT_EQ(server_.version(), before);
}

TEST_F(CertificateKeeperTest, WithoutWebhooksItKeepsTheSecretAlone) {
  server_.Delete(fake::kValidatingWebhooks, "", "huygens-webhook");
  ASSERT_TRUE(Keep().ok());
  EXPECT_NE(Stored().data["tls.crt"], "");
}

TEST_F(CertificateKeeperTest, ABundleThatSomebodyTookAwayIsWrittenAgain) {
  ASSERT_TRUE(Keep().ok());
  const std::string authority = Stored().data["ca.crt"];
  server_.Put(kWebhooks);
  ASSERT_TRUE(Keep().ok());
  EXPECT_THAT(Bundles(), Each(authority));
}

TEST_F(CertificateKeeperTest, ASecretOfSomebodyElseIsLeftAlone) {
  const std::string theirs = R"({"apiVersion":"v1","kind":"Secret","metadata":{"name":"huygens-webhook-tls",
      "namespace":"kube-system"},"type":"kubernetes.io/tls","data":{"tls.crt":"eA==","tls.key":"eQ=="}})";
  server_.Put(theirs);
  const uint64_t before = server_.version();
  const auto kept = Keep();
  EXPECT_TRUE(absl::IsFailedPrecondition(kept.status())) << kept.status();
  EXPECT_THAT(std::string(Message(kept.status())),
              HasSubstr("kube-system/huygens-webhook-tls was not made by huygens"));
  EXPECT_EQ(server_.version(), before);
}

// Between what the slower one read and what it writes, at each of its calls.
TEST_F(CertificateKeeperTest, OfTwoWritersOneIsRefusedAndThenAgrees) {
  const struct {
    const char *method, *path;
  } kWrites[] = {{"POST", "/secrets"}, {"PATCH", "/secrets/"}, {"PATCH", "validatingwebhook"}};
  const std::unique_ptr<net::Client> other = Client();
  Time now = test::kNow;
  for (const auto& write : kWrites) {
    auto gate = std::make_shared<fake::Gate>();
    if (std::string_view(write.method) == "PATCH") {  // something must be due
      ASSERT_TRUE(Keep(now).ok());
      now += std::chrono::days(280);
      if (std::string_view(write.path) == "validatingwebhook") server_.Put(kWebhooks);
    }
    server_.Inject({.what = fake::Fault::What::kHold, .method = write.method, .path = write.path, .gate = gate});
    StatusOr<CertificatesKept> slow = Internal("not yet");
    std::thread slower([&] { slow = Keep(*other, now); });
    ASSERT_TRUE(gate->AwaitArrival()) << write.path;
    const auto fast = Keep(now);
    EXPECT_TRUE(fast.ok()) << fast.status();
    const SecretData written = Stored().data;
    gate->Open();
    slower.join();
    EXPECT_TRUE(absl::IsAborted(slow.status())) << write.method << " " << write.path << ": " << slow.status();
    EXPECT_EQ(Stored().data, written);
    EXPECT_THAT(Bundles(), Each(written.at("ca.crt")));
    const auto again = Keep(*other, now);
    ASSERT_TRUE(again.ok()) << again.status();
    EXPECT_THAT(again->news, IsEmpty());
  }
}

TEST_F(CertificateKeeperTest, ErrorsSayWhatTheApiServerSaidAndHoldNoKey) {
  server_.Inject({.method = "POST", .path = "/secrets", .code = 403});
  const auto refused = Keep();
  EXPECT_TRUE(absl::IsPermissionDenied(refused.status()));
  EXPECT_THAT(std::string(Message(refused.status())), HasSubstr("/api/v1/namespaces/kube-system/secrets"));
  EXPECT_THAT(std::string(Message(refused.status())), Not(HasSubstr("BEGIN")));
  server_.Put(R"({"apiVersion":"v1","kind":"Secret","metadata":{"name":"huygens-webhook-tls","namespace":"kube-system",
      "labels":{"app.kubernetes.io/managed-by":"huygens"}},"data":{"tls.key":"?"}})");
  EXPECT_THAT(std::string(Message(Keep().status())), testing::StartsWith("data.tls.key: "));
}

TEST_F(CertificateKeeperTest, AnAuthorityIsReplacedWithoutAGap) {
  ASSERT_TRUE(Keep().ok());
  const std::string first = Stored().data["ca.crt"];
  Time now = test::kNow + std::chrono::days(3650 - 364);
  ASSERT_TRUE(Keep(now).ok());
  EXPECT_EQ(Stored().data["ca.crt"], first);
  EXPECT_EQ(net::SplitCertificates(Bundles()[0]).size(), 2U);
  now += std::chrono::minutes(11);
  ASSERT_TRUE(Keep(now).ok());
  EXPECT_NE(Stored().data["ca.crt"], first);
  EXPECT_TRUE(net::IsSignedBy(Stored().data["tls.crt"], Bundles()[0]));
}

}  // namespace
}  // namespace huygens::certificates
