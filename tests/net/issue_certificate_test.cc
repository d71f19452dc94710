#include "net/issue_certificate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "net/certificates.h"
#include "net/client.h"
#include "tests/base/clock.h"
#include "tests/fake/temporary_directory.h"
#include "tests/net/fixture.h"

namespace huygens::net {
namespace {

using std::chrono::hours;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr Duration kDay = hours(24);
const std::vector<std::string> kNames = {"huygens-webhook.kube-system.svc", "localhost"};

// Validity has whole seconds.
Time Second(Time time) { return std::chrono::floor<std::chrono::seconds>(time); }

class IssueCertificateTest : public ::testing::Test {
 protected:
  static CertifiedKey Authority(std::string_view name = "ca", Time from = test::kNow) {
    return *IssueAuthority(name, {from, from + 3650 * kDay});
  }
  static CertifiedKey Server(const CertifiedKey& authority, Time from = test::kNow) {
    return *IssueServerCertificate(authority, kNames, {from, from + 365 * kDay});
  }
};

TEST_F(IssueCertificateTest, AnAuthorityIsOfItsOwn) {
  const CertifiedKey authority = Authority("huygens ca");
  const auto read = ReadCertificates(authority.certificate);
  ASSERT_TRUE(read.ok()) << read.status();
  ASSERT_EQ(read->size(), 1U);
  EXPECT_THAT(read->front().names, ElementsAre("huygens ca"));
  EXPECT_EQ(read->front().not_before, Second(test::kNow));
  EXPECT_EQ(read->front().not_after, Second(test::kNow + 3650 * kDay));
  EXPECT_TRUE(KeyFits(authority.certificate, authority.key));
  EXPECT_TRUE(IsSignedBy(authority.certificate, authority.certificate));
  EXPECT_NE(Authority("huygens ca").key, authority.key);
}

TEST_F(IssueCertificateTest, AServersCertificateNamesItAndIsSignedByItsAuthority) {
  const CertifiedKey authority = Authority();
  const CertifiedKey server = Server(authority);
  const auto read = ReadCertificates(server.certificate);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_THAT(read->front().names, ElementsAre(kNames[0], kNames[0], kNames[1]));
  EXPECT_EQ(read->front().not_after, Second(test::kNow + 365 * kDay));
  EXPECT_TRUE(KeyFits(server.certificate, server.key));
  EXPECT_FALSE(KeyFits(server.certificate, authority.key));
  EXPECT_TRUE(IsSignedBy(server.certificate, authority.certificate));
  EXPECT_FALSE(IsSignedBy(authority.certificate, server.certificate));
}

TEST_F(IssueCertificateTest, AnAuthorityOfTheSameNameDidNotSignIt) {
  const CertifiedKey authority = Authority(), other = Authority();
  EXPECT_FALSE(IsSignedBy(Server(authority).certificate, other.certificate));
}

TEST_F(IssueCertificateTest, ItDoesNotOutliveTheAuthority) {
  const CertifiedKey authority = Authority();
  const auto server = Server(authority, test::kNow + 3600 * kDay);
  EXPECT_EQ(ReadCertificates(server.certificate)->front().not_after, Second(test::kNow + 3650 * kDay));
}

TEST_F(IssueCertificateTest, WhatCannotBeIssuedSaysWhy) {
  const CertifiedKey authority = Authority(), other = Authority("other");
  const Validity validity{test::kNow, test::kNow + kDay};
  const auto refused = [&](const CertifiedKey& by, std::vector<std::string> names) {
    return std::string(Message(IssueServerCertificate(by, names, validity).status()));
  };
  EXPECT_THAT(refused({authority.certificate, other.key}, kNames), HasSubstr("do not belong together"));
  EXPECT_THAT(refused({"", ""}, kNames), HasSubstr("do not belong together"));
  EXPECT_THAT(refused(authority, {}), HasSubstr("needs a name"));
  EXPECT_THAT(refused(authority, {"a,IP:10.0.0.1"}), HasSubstr("no name that a server can have"));
  // No key in what is said to operators.
  EXPECT_THAT(refused({authority.certificate, other.key}, kNames), Not(HasSubstr("PRIVATE")));
}

// A client that trusts an old authority and a new one, as a caBundle does while the authority changes.
TEST_F(IssueCertificateTest, ClientsAcceptItByAnyAuthorityOfTheirBundle) {
  const Time now = SystemClock().Now();
  const CertifiedKey old = Authority("old", now - kDay), next = Authority("next", now - kDay);
  const CertifiedKey server = Server(next, now - kDay);
  fake::TemporaryDirectory folder;
  ServerOptions options{.address = "127.0.0.1:0"};
  options.tls.cert_file = folder.Write("tls.crt", server.certificate);
  options.tls.key_file = folder.Write("tls.key", server.key);
  testing::TestServer running(options);
  const auto ask = [&](const std::string& bundle) {
    ClientOptions client{.base_url = running.Url("https"), .ca_data = bundle, .server_name = "localhost"};
    return (*Client::Create(client))->Call("POST", "/echo", "x", {}, std::chrono::seconds(20)).status();
  };
  EXPECT_TRUE(ask(Concat(next.certificate, old.certificate)).ok());
  EXPECT_TRUE(ask(Concat(old.certificate, next.certificate)).ok());
  EXPECT_TRUE(absl::IsUnauthenticated(ask(old.certificate)));
}

TEST_F(IssueCertificateTest, BundlesAreTakenApart) {
  const std::string a = Authority("a").certificate, b = Authority("b").certificate;
  EXPECT_THAT(SplitCertificates(Concat(a, "\n# remark\n", b)), ElementsAre(a, b));
  EXPECT_THAT(SplitCertificates(Concat(Authority().key, a)), ElementsAre(a));
  EXPECT_THAT(SplitCertificates(""), IsEmpty());
  EXPECT_THAT(SplitCertificates("-----BEGIN CERTIFICATE-----\nxx\n-----END CERTIFICATE-----\n"), IsEmpty());
}

TEST_F(IssueCertificateTest, NonsenseBelongsToNothing) {
  const CertifiedKey authority = Authority();
  for (const std::string text : {"", "nonsense", "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"}) {
    EXPECT_FALSE(KeyFits(text, authority.key));
    EXPECT_FALSE(KeyFits(authority.certificate, text));
    EXPECT_FALSE(IsSignedBy(text, authority.certificate));
    EXPECT_FALSE(IsSignedBy(authority.certificate, text));
  }
}

}  // namespace
}  // namespace huygens::net
