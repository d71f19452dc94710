#include "net/certificates.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/fake/temporary_directory.h"
#include "tests/net/certificates.h"
#include "tests/net/fixture.h"

namespace huygens::net {
namespace {

using namespace std::chrono_literals;
using std::chrono::days;
using testing::Authority;
using ::testing::ElementsAre;
using testing::Issued;
using testing::TestServer;

const Authority kAuthority("authority");

TEST(Certificates, AreReadFromPemWithNamesAndTimes) {
  const Issued issued = kAuthority.Issue({"kube-scheduler", "DNS:other", -1, 30});
  const auto read = ReadCertificates(Concat(issued.key, issued.certificate, kAuthority.Certificate()));
  ASSERT_TRUE(read.ok()) << read.status();
  ASSERT_EQ(read->size(), 2u);
  EXPECT_THAT((*read)[0].names, ElementsAre("kube-scheduler", "other"));
  EXPECT_EQ((*read)[0].not_after - (*read)[0].not_before, days(31));
  EXPECT_FALSE(ReadCertificates(issued.key).ok()) << "a key is none";
  EXPECT_FALSE(ReadCertificates("").ok());
  EXPECT_TRUE(absl::IsNotFound(ReadCertificateFile("/nonexistent/tls.crt").status()));
}

TEST(Certificates, OfAServerAreSeenWithoutTrustingIt) {
  const fake::TemporaryDirectory folder;
  const Issued issued = kAuthority.Issue({"huygens", "DNS:localhost,IP:127.0.0.1", -2, -1});
  ServerOptions options;
  options.address = "127.0.0.1:0";
  options.tls.cert_file = folder.Write("tls.crt", issued.certificate);
  options.tls.key_file = folder.Write("tls.key", issued.key);
  TestServer server(options);
  ClientOptions client;
  client.base_url = server.Url("https");
  const auto seen = CertificatesOfServer(client, 20s);
  ASSERT_TRUE(seen.ok()) << seen.status();
  ASSERT_EQ(seen->size(), 1u);
  EXPECT_THAT((*seen)[0].names.front(), "huygens");
  EXPECT_LT((*seen)[0].not_after, SystemClock().Now()) << "expired, and seen all the same";
  client.base_url = "https://127.0.0.1:1";
  EXPECT_FALSE(CertificatesOfServer(client, 20s).ok());
}

}  // namespace
}  // namespace huygens::net
