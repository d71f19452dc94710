#include "net/verify_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "tests/net/certificates.h"

namespace huygens::net {
namespace {

using testing::Authority;

constexpr char kName[] = "huygens-webhook.kube-system.svc";

class VerifyServerTest : public ::testing::Test {
 protected:
  std::string Fault(const std::string& shown, const std::string& trusted, const std::string& host = kName,
                    Duration later = {}) const {
    return std::string(Message(VerifyServer(shown, trusted, host, SystemClock().Now() + later)));
  }
  std::string Served(const std::string& names = "DNS:huygens-webhook.kube-system.svc,IP:127.0.0.1") const {
    return authority_.Issue({"server", names}).certificate;
  }

  const Authority authority_{"ours"}, other_{"theirs"}, namesake_{"ours"};
};

TEST_F(VerifyServerTest, BelievesWhatAnAuthoritySigned) {
  EXPECT_EQ(Fault(Served(), authority_.Certificate()), "");
  EXPECT_EQ(Fault(Served(), other_.Certificate() + authority_.Certificate()), "") << "one of several";
  EXPECT_EQ(Fault(Served() + other_.Certificate(), authority_.Certificate()), "") << "what is shown besides is no harm";
  EXPECT_EQ(Fault(Served(), authority_.Certificate(), "127.0.0.1"), "");
  EXPECT_EQ(Fault(Served(), Served()), "the certificate is signed by another authority") << "another one each time";
  const std::string itself = Served();
  EXPECT_EQ(Fault(itself, itself), "") << "as in Go: who is trusted need not have signed itself";
}

TEST_F(VerifyServerTest, SaysWhyNot) {
  constexpr char kAnother[] = "the certificate is signed by another authority";
  EXPECT_EQ(Fault(Served(), other_.Certificate()), kAnother);
  EXPECT_EQ(Fault(Served(), namesake_.Certificate()), kAnother) << "the name of the authority alone says nothing";
  EXPECT_EQ(Fault(Served() + authority_.Certificate(), other_.Certificate()), kAnother)
      << "that the server shows an authority does not make it one";
  EXPECT_EQ(Fault(Served(), ""), kAnother);
  EXPECT_EQ(Fault(Served(), authority_.Certificate(), "huygens-webhook.other.svc"),
            "the certificate is not for huygens-webhook.other.svc");
  EXPECT_EQ(Fault(Served(""), authority_.Certificate(), "server"), "the certificate is not for server")
      << "the common name counts for nothing";
  EXPECT_EQ(Fault(Served(), authority_.Certificate(), "127.0.0.2"), "the certificate is not for 127.0.0.2");
  EXPECT_EQ(Fault(Served(), authority_.Certificate(), kName, std::chrono::days(31)), "the certificate has expired");
  EXPECT_EQ(Fault(Served(), authority_.Certificate(), kName, -std::chrono::days(2)),
            "the certificate is not valid yet");
  EXPECT_EQ(Fault("", authority_.Certificate()), "the certificate cannot be read");
}

}  // namespace
}  // namespace huygens::net
