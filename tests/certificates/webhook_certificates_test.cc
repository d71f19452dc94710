#include "certificates/webhook_certificates.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <deque>
#include <random>

#include "net/certificates.h"
#include "net/issue_certificate.h"
#include "tests/base/clock.h"

namespace huygens::certificates {
namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::minutes;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const CertificateRules kRules = {.dns_names = {"huygens-webhook.kube-system.svc"}};

// The Secret, and two webhooks that are told whom to believe as soon as the plan says so.
class WebhookCertificatesTest : public testing::Test {
 protected:
  // One look; what it says is written, if it is to be.
  CertificatePlan Look() {
    auto plan = PlanCertificates(secret_, told_, rules_, now_);
    EXPECT_TRUE(plan.ok()) << plan.status();
    if (!plan.ok()) return {};
    EXPECT_EQ(plan->write, plan->data != secret_);
    secret_ = plan->data;
    if (reaches_webhooks_) told_ = {plan->ca_bundle, plan->ca_bundle};
    return *std::move(plan);
  }
  std::string Told() const { return told_.front(); }
  bool IsBelieved(const std::string& certificate) const {
    const auto authorities = net::SplitCertificates(Told());
    return std::any_of(authorities.begin(), authorities.end(),
                       [&](const auto& each) { return net::IsSignedBy(certificate, each); });
  }
  size_t AuthoritiesTold() const { return net::SplitCertificates(Told()).size(); }
  net::Certificate Server() const { return net::ReadCertificates(secret_.at("tls.crt"))->front(); }
  // Looks when it is time to, until then.
  void LiveUntil(Time end) {
    while (now_ < end) now_ = std::min(end, Look().look_again);
    Look();
  }

  CertificateRules rules_ = {.dns_names = kRules.dns_names, .longest_rest = days(30)};
  Time now_ = test::kNow;
  SecretData secret_;
  std::vector<std::string> told_ = {"", ""};
  bool reaches_webhooks_ = true;
};

TEST_F(WebhookCertificatesTest, BeginsWithAnAuthorityAndACertificateOfIt) {
  const CertificatePlan plan = Look();
  EXPECT_TRUE(plan.write);
  EXPECT_THAT(plan.news, ElementsAre("there is no authority yet"));
  EXPECT_TRUE(net::KeyFits(secret_.at("tls.crt"), secret_.at("tls.key")));
  EXPECT_TRUE(IsBelieved(secret_.at("tls.crt")));
  EXPECT_THAT(Server().names, testing::Contains("huygens-webhook.kube-system.svc"));
  EXPECT_LT(Server().not_before, now_);  // for clocks that are behind
  EXPECT_GT(Server().not_after, now_ + days(364));
  EXPECT_EQ(plan.look_again, now_ + days(30));
  EXPECT_THAT(plan.ca_bundle, Not(HasSubstr("PRIVATE KEY")));
}

TEST_F(WebhookCertificatesTest, WhatIsAsItMustBeStaysSo) {
  Look();
  const SecretData before = secret_;
  const CertificatePlan again = Look();
  EXPECT_FALSE(again.write);
  EXPECT_THAT(again.news, IsEmpty());
  EXPECT_EQ(secret_, before);
}

TEST_F(WebhookCertificatesTest, ACertificateThatEndsIsRenewedByTheSameAuthority) {
  Look();
  const SecretData before = secret_;
  LiveUntil(test::kNow + days(274));
  EXPECT_EQ(secret_, before);
  LiveUntil(test::kNow + days(276));
  EXPECT_NE(secret_["tls.key"], before.at("tls.key"));
  EXPECT_EQ(secret_["ca.crt"], before.at("ca.crt"));
  EXPECT_EQ(AuthoritiesTold(), 1U);
  EXPECT_TRUE(IsBelieved(secret_["tls.crt"]));
}

TEST_F(WebhookCertificatesTest, AnAuthorityThatEndsIsReplacedInTwoSteps) {
  Look();
  const std::string old = secret_["ca.crt"];
  LiveUntil(test::kNow + days(3650 - 365) - hours(1));
  const std::string served = secret_["tls.crt"];
  now_ = test::kNow + days(3650 - 365);
  EXPECT_THAT(Look().news, ElementsAre("the authority ends: the next is told"));
  EXPECT_EQ(secret_["ca.crt"], old);
  EXPECT_EQ(secret_["tls.crt"], served);
  EXPECT_EQ(AuthoritiesTold(), 2U);
  now_ += minutes(9);
  Look();
  EXPECT_EQ(secret_["tls.crt"], served);
  now_ += minutes(2);
  Look();
  EXPECT_NE(secret_["tls.crt"], served);
  EXPECT_NE(secret_["ca.crt"], old);
  EXPECT_EQ(secret_["next-ca.key"], "");
  EXPECT_TRUE(IsBelieved(served)) << "servers have it for a while";
  EXPECT_TRUE(IsBelieved(secret_["tls.crt"]));
  now_ += hours(25);
  EXPECT_THAT(Look().news, ElementsAre("the previous authority is told no more"));
  EXPECT_FALSE(IsBelieved(served));
  EXPECT_EQ(AuthoritiesTold(), 1U);
}

TEST_F(WebhookCertificatesTest, AnAuthorityThatIsNotToldEverywhereSignsNothing) {
  Look();
  now_ = test::kNow + days(3650 - 300);
  const std::string old = secret_["ca.crt"], bundle = Told();
  reaches_webhooks_ = false;
  LiveUntil(now_ + days(2));
  EXPECT_EQ(secret_["ca.crt"], old);
  const std::string next = secret_["next-ca.crt"];
  ASSERT_NE(next, "");
  told_ = {Concat(bundle, next), bundle};  // one webhook lacks it
  LiveUntil(now_ + hours(1));
  EXPECT_EQ(secret_["ca.crt"], old);
  told_ = {Concat(bundle, next), Concat(next, bundle)};
  Look();
  EXPECT_EQ(secret_["ca.crt"], next);
}

TEST_F(WebhookCertificatesTest, ACertificateEndsWithItsAuthorityAndIsNotMadeAnewEachTime) {
  Look();
  reaches_webhooks_ = false;
  now_ = test::kNow + days(3650 - 60);
  Look();  // the last of this authority
  const std::string last = secret_["tls.crt"];
  now_ += days(1);
  Look();
  EXPECT_EQ(secret_["tls.crt"], last);
}

TEST_F(WebhookCertificatesTest, OneThatLacksANameIsMadeAnew) {
  Look();
  const std::string authority = secret_["ca.crt"];
  rules_.dns_names.push_back("huygens-webhook.quota.svc");
  EXPECT_THAT(Look().news, ElementsAre("the certificate lacks a name"));
  EXPECT_THAT(Server().names, testing::Contains("huygens-webhook.quota.svc"));
  EXPECT_EQ(secret_["ca.crt"], authority);
}

TEST_F(WebhookCertificatesTest, GarbageIsReplacedAndNoMoreThanThat) {
  Look();
  const SecretData good = secret_;
  const auto after = [&](const char* key, const char* value) {
    secret_ = good;
    secret_[key] = value;
    told_ = {good.at("ca.crt"), good.at("ca.crt")};
    Look();
    EXPECT_TRUE(IsBelieved(secret_["tls.crt"])) << key;
    EXPECT_TRUE(net::KeyFits(secret_["tls.crt"], secret_["tls.key"])) << key;
    return secret_;
  };
  for (const char* value : {"", "\xff\x00garbage", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"}) {
    for (const char* key : {"tls.crt", "tls.key"}) {
      EXPECT_EQ(after(key, value)["ca.crt"], good.at("ca.crt")) << "the authority signs another certificate";
    }
    EXPECT_NE(after("ca.crt", value)["ca.crt"], good.at("ca.crt"));
    for (const char* key : {"next-ca.crt", "next-ca.key", "previous-ca.crt"}) {
      EXPECT_EQ(after(key, value)["tls.crt"], good.at("tls.crt")) << key;
      EXPECT_EQ(AuthoritiesTold(), 1U);
    }
  }
  EXPECT_EQ(after("notes", "of somebody")["notes"], "of somebody");
}

TEST_F(WebhookCertificatesTest, AnAuthorityWithoutItsKeyIsReplacedAsOneThatEnds) {
  Look();
  const std::string served = secret_["tls.crt"];
  secret_["ca.key"] = "garbage";
  Look();
  EXPECT_EQ(secret_["tls.crt"], served) << "it can be believed still";
  EXPECT_EQ(AuthoritiesTold(), 2U);
  now_ += minutes(11);
  Look();
  EXPECT_NE(secret_["tls.crt"], served);
  EXPECT_TRUE(IsBelieved(served));
  EXPECT_TRUE(IsBelieved(secret_["tls.crt"]));
}

TEST_F(WebhookCertificatesTest, ClocksThatJumpLeaveACertificateThatIsValidNow) {
  Look();
  for (const days jump : {days(400), days(-500), days(3800), days(-3000), days(30000), days(-30000)}) {
    now_ += jump;
    LiveUntil(now_ + days(2));
    EXPECT_TRUE(IsBelieved(secret_["tls.crt"])) << jump.count();
    EXPECT_LE(Server().not_before, now_) << jump.count();
    EXPECT_GT(Server().not_after, now_ + days(80)) << jump.count();
    EXPECT_EQ(AuthoritiesTold(), 1U) << jump.count();
  }
}

TEST_F(WebhookCertificatesTest, ANameThatNoServerCanHaveIsAnError) {
  rules_.dns_names = {"huygens webhook"};
  EXPECT_TRUE(absl::IsInvalidArgument(PlanCertificates({}, {}, rules_, now_).status()));
  rules_.dns_names.clear();
  EXPECT_TRUE(absl::IsInvalidArgument(PlanCertificates({}, {}, rules_, now_).status()));
}

// With looks at any times and writes that reach the webhooks or do not: as long as no more time passes than an authority
// has to be replaced in, every server, whenever it read the Secret last, is believed by every API server.
TEST(WebhookCertificates, ServersAreBelievedAllTheTime) {
  // Short lives, so that many follow each other.
  const CertificateRules rules{.dns_names = kRules.dns_names,
                               .authority_lifetime = days(20),
                               .server_lifetime = days(6),
                               .renew_authority = days(8),
                               .renew_server = days(3)};
  size_t authorities = 0;
  for (unsigned seed = 0; seed < 10; ++seed) {
    std::mt19937 random(seed);
    const auto one_of = [&](auto... values) {
      const std::common_type_t<decltype(values)...> all[] = {values...};
      return all[random() % sizeof...(values)];
    };
    Time now = test::kNow;
    SecretData secret;
    std::vector<std::string> told = {"", ""};
    std::deque<std::pair<Time, std::string>> served;  // since when; of servers that have not read it yet the one before
    for (int step = 0; step < 40; ++step) {
      const auto plan = PlanCertificates(secret, told, rules, now);
      ASSERT_TRUE(plan.ok()) << plan.status();
      authorities += plan->data.at("ca.crt") != secret["ca.crt"];
      secret = plan->data;
      if (served.empty() || served.back().second != secret.at("tls.crt")) {
        served.emplace_back(now, secret.at("tls.crt"));
      }
      // Now and then a conflict, or an API server that is away: one webhook is told, or none.
      const size_t reached = step == 0 ? 2 : one_of(0U, 1U, 2U, 2U, 2U);
      for (size_t i = 0; i < reached; ++i) told[i] = plan->ca_bundle;
      now = std::min(plan->look_again, now + one_of(Duration(minutes(3)), Duration(hours(30))));
      // Where all is well, nobody may look for long.
      if (reached == 2 && one_of(0, 1) == 1) now += hours(60);
      while (served.size() > 1 && served[1].first + minutes(2) < now) served.pop_front();
      for (const auto& [since, certificate] : served) {
        const auto read = net::ReadCertificates(certificate);
        EXPECT_TRUE(read->front().not_before <= now && now < read->front().not_after) << seed << " " << step;
        for (const std::string& bundle : told) {
          const auto all = net::SplitCertificates(bundle);
          EXPECT_TRUE(
              std::any_of(all.begin(), all.end(), [&](const auto& each) { return net::IsSignedBy(certificate, each); }))
              << seed << " " << step;
        }
      }
    }
  }
  EXPECT_GT(authorities, 20U) << "hardly any was replaced";
}

}  // namespace
}  // namespace huygens::certificates
