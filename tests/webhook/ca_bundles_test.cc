#include "webhook/ca_bundles.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/escaping.h"
#include "net/issue_certificate.h"
#include "tests/base/clock.h"
#include "tests/fake/api_server.h"
#include "tests/observe/captured_log.h"

namespace huygens::webhook {
namespace {

using std::chrono::days;
using std::chrono::seconds;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr char kHost[] = "huygens-webhook.kube-system.svc";

net::CertifiedKey Authority(std::string_view name) {
  return *net::IssueAuthority(name, {test::kNow - days(1), test::kNow + days(100)});
}
std::string Served(const net::CertifiedKey& authority) {
  const std::vector<std::string> names = {kHost};
  return net::IssueServerCertificate(authority, names, {test::kNow - days(1), test::kNow + days(30)})->certificate;
}

class JudgeCaBundlesTest : public testing::Test {
 protected:
  observe::Readiness::Item Judge(const StatusOr<wire::WebhookConfiguration>& read) const {
    return JudgeCaBundles("huygens-webhook", read, served_, test::kNow);
  }
  static wire::WebhookConfiguration Two(const std::string& first, const std::string& second,
                                        const std::string& host = kHost) {
    return {.name = "huygens-webhook", .resource_version = "1", .webhooks = {{"a", first, kHost}, {"b", second, host}}};
  }
  static bool StopsNothing(const observe::Readiness::Item& item) { return observe::Readiness{{item}}.Ready(); }

  const net::CertifiedKey ours_ = Authority("ours"), theirs_ = Authority("theirs");
  const std::string served_ = Served(ours_);
};

TEST_F(JudgeCaBundlesTest, EveryWebhookMustNameWhoSignedTheCertificate) {
  const std::string& good = ours_.certificate;
  const auto fine = Judge(Two(good, theirs_.certificate + good));
  EXPECT_TRUE(fine.ok && !fine.warning) << fine.detail;
  EXPECT_EQ(fine.name, "caBundle of huygens-webhook");

  const auto other = Judge(Two(good, theirs_.certificate));
  EXPECT_FALSE(StopsNothing(other));
  EXPECT_THAT(other.detail, HasSubstr("webhook b: the certificate is signed by another authority; write the authority "
                                      "that signed it into caBundle"));
  const auto none = Judge(Two("", good));
  EXPECT_FALSE(StopsNothing(none));
  EXPECT_THAT(none.detail, HasSubstr("webhook a has no caBundle: write "));
  const auto name = Judge(Two(good, good, "door.other.svc"));
  EXPECT_FALSE(StopsNothing(name));
  EXPECT_THAT(name.detail, HasSubstr("webhook b: the certificate is not for door.other.svc; "));
}

TEST_F(JudgeCaBundlesTest, WhoIsNotAskedAndWhoMayNotLookAreReadyWithAWarning) {
  const auto absent = Judge(NotFound("404"));
  EXPECT_TRUE(StopsNothing(absent) && absent.warning);
  EXPECT_THAT(absent.detail, HasSubstr("no API server asks this webhook"));
  const auto forbidden = Judge(absl::PermissionDeniedError("may not get"));
  EXPECT_TRUE(StopsNothing(forbidden) && forbidden.warning);
  EXPECT_THAT(forbidden.detail, HasSubstr("may not get"));
  EXPECT_FALSE(StopsNothing(Judge(Unavailable("not read yet"))));
}

class CaBundlesTest : public testing::Test {
 protected:
  CaBundlesTest() {
    EXPECT_TRUE(calls_.Start(api_.Options(), 1).ok());
    Tell(theirs_);
  }
  ~CaBundlesTest() override { calls_.Stop(); }

  void Tell(const net::CertifiedKey& authority) {
    api_.Put(Concat(R"({"apiVersion":"admissionregistration.k8s.io/v1","kind":"ValidatingWebhookConfiguration",)",
                    R"("metadata":{"name":"huygens-webhook"},"webhooks":[{"name":"groups","clientConfig":{"service":)",
                    R"({"name":"huygens-webhook","namespace":"kube-system"},"caBundle":")",
                    absl::Base64Escape(authority.certificate), R"("}}]})"));
  }
  // Until the look is over that Start began, or the one that was due.
  void Await() {
    while (!next_) loop_.Poll();
  }
  void LookAgain() {
    std::exchange(next_, nullptr)();
    Await();
  }
  CaBundles Make(const std::vector<std::string>& names) {
    return {names,
            {.calls = calls_,
             .clock = clock_,
             .log = captured_.log,
             .after = [this](Duration, auto task) { next_ = std::move(task); },
             .served = [this] { return std::string_view(served_); }}};
  }

  fake::ApiServer api_;
  net::EventLoop loop_;
  kube::CallPool calls_{loop_};
  test::ManualClock clock_;
  observe::CapturedLog captured_;
  std::function<void()> next_;
  const net::CertifiedKey ours_ = Authority("ours"), theirs_ = Authority("theirs");
  std::string served_ = Served(ours_);
};

TEST_F(CaBundlesTest, FollowsWhatTheApiServerHasAndWhatIsServed) {
  CaBundles bundles = Make({"huygens-webhook"});
  EXPECT_FALSE(bundles.Describe().front().ok) << "nobody looked yet";
  bundles.Start();
  Await();
  EXPECT_FALSE(bundles.Describe().front().ok);
  EXPECT_THAT(captured_.Lines(), Contains(HasSubstr("signed by another authority")));
  Tell(ours_);
  LookAgain();
  EXPECT_TRUE(bundles.Describe().front().ok);
  const size_t lines = captured_.Lines().size();
  LookAgain();
  EXPECT_EQ(captured_.Lines().size(), lines) << "of nothing new nothing is said";
  served_ = Served(theirs_);
  EXPECT_FALSE(bundles.Describe().front().ok) << "another certificate was loaded";
  served_.clear();
  EXPECT_THAT(bundles.Describe(), IsEmpty()) << "plain HTTP";
}

TEST_F(CaBundlesTest, WhatWasSeenStandsWhileNobodyAnswers) {
  Tell(ours_);
  CaBundles bundles = Make({"huygens-webhook", "second"});
  bundles.Start();
  Await();
  api_.Inject({.method = "GET", .path = "/validatingwebhook", .times = 2, .code = 500});
  LookAgain();
  const auto items = bundles.Describe();
  ASSERT_EQ(items.size(), 2U);
  EXPECT_TRUE(items[0].ok && !items[0].warning) << items[0].detail;
  EXPECT_TRUE(items[1].warning) << items[1].detail;
  api_.Delete(fake::kValidatingWebhooks, "", "huygens-webhook");
  LookAgain();
  EXPECT_TRUE(bundles.Describe()[0].warning) << "switched off";
}

TEST_F(CaBundlesTest, WithoutNamesNothingIsLookedAt) {
  CaBundles bundles = Make({});
  bundles.Start();
  loop_.Poll();
  EXPECT_EQ(next_, nullptr);
  EXPECT_EQ(api_.Seen("GET", "validatingwebhook"), 0);
}

}  // namespace
}  // namespace huygens::webhook
