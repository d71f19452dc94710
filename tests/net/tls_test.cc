// Server and Client against each other under TLS, with certificates made here.
#include <gmock/gmock.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include "net/client.h"
#include "net/server.h"
#include "tests/fake/temporary_directory.h"
#include "tests/net/certificates.h"
#include "tests/net/fixture.h"

namespace huygens::net {
namespace {

using namespace std::chrono_literals;
using testing::Authority;
using ::testing::HasSubstr;
using testing::Issued;
using ::testing::Not;
using testing::TestServer;

constexpr char kLocalNames[] = "DNS:localhost,IP:127.0.0.1";

class Tls : public ::testing::Test {
 protected:
  // Writes certificate and key as NAME.crt and NAME.key.
  void Write(const std::string& name, const Issued& issued) {
    folder_.Write(name + ".crt", issued.certificate);
    folder_.Write(name + ".key", issued.key);
  }
  void SetUp() override {
    folder_.Write("ca.crt", authority_.Certificate());
    Write("server", authority_.Issue({"huygens", kLocalNames}));
    options_.address = "127.0.0.1:0";
    options_.tls.cert_file = folder_.File("server.crt");
    options_.tls.key_file = folder_.File("server.key");
    options_.tls.reload_interval = 2ms;
  }
  void DemandClients(std::vector<std::string> allowed = {}) {
    options_.tls.client_ca_file = folder_.File("ca.crt");
    options_.tls.allowed_clients = std::move(allowed);
  }
  ClientOptions Trusting(const TestServer& server) const {
    ClientOptions options;
    options.base_url = server.Url("https");
    options.ca_data = authority_.Certificate();
    return options;
  }
  ClientOptions As(const TestServer& server, const testing::Subject& subject, const Authority& authority) const {
    ClientOptions options = Trusting(server);
    const Issued issued = authority.Issue(subject);
    options.cert_data = issued.certificate;
    options.key_data = issued.key;
    return options;
  }
  static StatusOr<HttpReply> Ask(ClientOptions options, const std::string& body = "hello") {
    auto client = Client::Create(std::move(options));
    if (!client.ok()) return client.status();
    return (*client)->Call("POST", "/echo", body, {}, 20s);
  }
  Status Start() const {
    EventLoop loop;
    return Server::Start(loop, options_, TestServer::Echo).status();
  }
  static void Name(const Request& request, Respond respond) {
    respond({200, "text/plain", std::string(request.client_name)});
  }

  fake::TemporaryDirectory folder_;
  Authority authority_{"test authority"};
  Authority stranger_{"another authority"};
  ServerOptions options_;
};

TEST_F(Tls, CarriesBodiesOfEverySize) {
  TestServer server(options_);
  auto client = Client::Create(Trusting(server));
  ASSERT_TRUE(client.ok()) << client.status();
  for (const size_t size : {0, 1, 8191, 8192, 8193, 16384, 135'000, 3'000'000}) {
    const std::string body(size, 'b');
    const auto reply = (*client)->Call("POST", "/echo", body, {}, 20s);
    ASSERT_TRUE(reply.ok()) << reply.status();
    EXPECT_EQ(reply->code, 200);
    EXPECT_EQ(reply->body, body);
  }
  EXPECT_EQ(server.thread.Ask([&] { return server.server->connections(); }), 1U);
}

TEST_F(Tls, ServesPlainLoopbackNamesAndKeysFromFiles) {
  DemandClients();
  TestServer server(options_, Name);
  Write("client", authority_.Issue({"from a file", ""}));
  ClientOptions options;
  options.base_url = "https://localhost:" + std::to_string(server.port());
  options.ca_file = folder_.File("ca.crt");
  options.cert_file = folder_.File("client.crt");
  options.key_file = folder_.File("client.key");
  const auto reply = Ask(options);
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_EQ(reply->body, "from a file");
}

TEST_F(Tls, AcceptsAllowedClientsByCommonNameAndByDnsName) {
  DemandClients({"kube-scheduler", "scheduler.example"});
  TestServer server(options_, Name);
  const auto by_name = Ask(As(server, {"kube-scheduler", ""}, authority_));
  ASSERT_TRUE(by_name.ok()) << by_name.status();
  EXPECT_EQ(by_name->body, "kube-scheduler");
  const auto by_dns = Ask(As(server, {"someone", "DNS:other.example,DNS:scheduler.example"}, authority_));
  ASSERT_TRUE(by_dns.ok()) << by_dns.status();
  EXPECT_EQ(by_dns->body, "scheduler.example");
  EXPECT_TRUE(server.faults.empty());
}

TEST_F(Tls, AcceptsEveryVerifiedClientWithoutAList) {
  DemandClients();
  TestServer server(options_, Name);
  const auto reply = Ask(As(server, {"anyone", ""}, authority_));
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_EQ(reply->body, "anyone");
}

TEST_F(Tls, RefusesClientsWithoutCertificateOfStrangersExpiredOrOfAnotherName) {
  DemandClients({"kube-scheduler"});
  testing::Inbox<std::string> handshakes;
  options_.observers.on_handshake_failed = [&](std::string_view text) { handshakes.Put(std::string(text)); };
  TestServer server(options_);
  const auto refused = [&](const ClientOptions& options, const std::string& reason) {
    const auto reply = Ask(options);
    EXPECT_EQ(reply.status().code(), absl::StatusCode::kUnauthenticated) << reply.status();
    EXPECT_THAT(std::string(Message(reply.status())), HasSubstr("client certificate"));
    EXPECT_THAT(server.faults.Take(), HasSubstr(reason));
    EXPECT_THAT(handshakes.Take(), HasSubstr(reason));
  };
  refused(Trusting(server), "peer did not return a certificate");
  refused(As(server, {"kube-scheduler", ""}, stranger_), "unable to get local issuer certificate");
  refused(As(server, {"kube-scheduler", "", -20, -10}, authority_), "expired");
  refused(As(server, {"kube-scheduler-2", "DNS:evil.example"}, authority_), "[kube-scheduler-2, evil.example]");
}

// What a handshake with these offers ends with: the protocol chosen by ALPN ("" for none), or the alert.
std::string Shake(uint16_t port, const std::vector<std::string>& protocols, int highest_version) {
  testing::RawConnection connection(port);
  const std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context(SSL_CTX_new(TLS_client_method()), &SSL_CTX_free);
  SSL_CTX_set_security_level(context.get(), 0);
  SSL_CTX_set_max_proto_version(context.get(), highest_version);
  std::string offer;
  for (const std::string& protocol : protocols) offer += static_cast<char>(protocol.size()) + protocol;
  const auto* const bytes = reinterpret_cast<const unsigned char*>(offer.data());
  SSL_CTX_set_alpn_protos(context.get(), bytes, static_cast<unsigned>(offer.size()));
  const std::unique_ptr<SSL, decltype(&SSL_free)> tls(SSL_new(context.get()), &SSL_free);
  SSL_set_fd(tls.get(), connection.socket());
  if (SSL_connect(tls.get()) != 1) {
    const char* const reason = ERR_reason_error_string(ERR_get_error());
    ERR_clear_error();
    return reason == nullptr ? "cut" : reason;
  }
  const unsigned char* chosen = nullptr;
  unsigned size = 0;
  SSL_get0_alpn_selected(tls.get(), &chosen, &size);
  return {reinterpret_cast<const char*>(chosen), size};
}

TEST_F(Tls, ChoosesHttp11AndRefusesWhoeverSpeaksOnlySomethingElse) {
  TestServer server(options_);
  EXPECT_EQ(Shake(server.port(), {"h2", "http/1.1"}, TLS1_3_VERSION), "http/1.1");
  EXPECT_EQ(Shake(server.port(), {}, TLS1_3_VERSION), "");
  EXPECT_THAT(Shake(server.port(), {"h2"}, TLS1_3_VERSION), HasSubstr("no application protocol"));
}

TEST_F(Tls, SpeaksTls12AndNothingOlder) {
  TestServer server(options_);
  EXPECT_EQ(Shake(server.port(), {"http/1.1"}, TLS1_2_VERSION), "http/1.1");
  EXPECT_THAT(Shake(server.port(), {"http/1.1"}, TLS1_1_VERSION), HasSubstr("protocol version"));
  EXPECT_THAT(server.faults.Take(), HasSubstr("unsupported protocol"));
}

TEST_F(Tls, IsSilentAboutProbesThatOnlyConnect) {
  TestServer server(options_);
  {
    testing::RawConnection probe(server.port());
  }
  ASSERT_TRUE(Ask(Trusting(server)).ok());
  EXPECT_TRUE(server.faults.empty());
}

TEST_F(Tls, ClientNamesItsFilesThatCannotBeUsed) {
  TestServer server(options_);
  const auto fault = [&](auto change) {
    ClientOptions options = Trusting(server);
    change(options);
    const Status status = Ask(options).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << status;
    return std::string(Message(status));
  };
  Write("client", authority_.Issue({"client", ""}));
  EXPECT_THAT(fault([&](auto& o) {
                o.ca_data.clear();
                o.ca_file = "/nowhere/ca.crt";
              }),
              HasSubstr("/nowhere/ca.crt"));
  EXPECT_THAT(fault([&](auto& o) {
                o.cert_file = "/nowhere/client.crt";
                o.key_file = folder_.File("client.key");
              }),
              HasSubstr("/nowhere/client.crt"));
  EXPECT_THAT(fault([&](auto& o) {
                o.cert_file = folder_.File("client.crt");
                o.key_file = "/nowhere/client.key";
              }),
              HasSubstr("/nowhere/client.key"));
  const Issued client = authority_.Issue({"client", ""});
  EXPECT_THAT(fault([&](auto& o) {
                o.cert_data = client.certificate;
                o.key_data = "-----BEGIN PRIVATE KEY-----\nsecret\n";
              }),
              Not(HasSubstr("secret")));
}

TEST_F(Tls, CutsWhoeverSpeaksPlainHttpOrNothing) {
  options_.handshake_timeout = 30ms;
  TestServer server(options_);
  testing::RawConnection plain(server.port());
  plain.Send(testing::Post("x"));
  EXPECT_THAT(server.faults.Take(), HasSubstr("http request"));
  testing::RawConnection silent(server.port());
  EXPECT_TRUE(silent.Ended());
  EXPECT_THAT(server.faults.Take(), HasSubstr("took too long"));
}

TEST_F(Tls, ClientRefusesServersItDoesNotTrust) {
  TestServer server(options_);
  ClientOptions options = Trusting(server);
  options.ca_data = stranger_.Certificate();
  const auto of_stranger = Ask(options);
  EXPECT_EQ(of_stranger.status().code(), absl::StatusCode::kUnauthenticated) << of_stranger.status();
  EXPECT_THAT(std::string(Message(of_stranger.status())), HasSubstr("configured CA"));
  options.ca_data.clear();
  EXPECT_THAT(std::string(Message(Ask(options).status())), HasSubstr("no CA is configured"));
  options.insecure_skip_tls_verify = true;
  EXPECT_TRUE(Ask(options).ok());
}

TEST_F(Tls, ClientChecksTheNameItIsTold) {
  Write("server", authority_.Issue({"huygens", "DNS:huygens.kube-system.svc"}));
  TestServer server(options_);
  ClientOptions options = Trusting(server);
  const auto by_address = Ask(options);
  EXPECT_EQ(by_address.status().code(), absl::StatusCode::kUnauthenticated) << by_address.status();
  EXPECT_THAT(std::string(Message(by_address.status())), HasSubstr("another name"));
  options.server_name = "huygens.kube-system.svc";
  const auto by_name = Ask(options);
  ASSERT_TRUE(by_name.ok()) << by_name.status();
  EXPECT_EQ(by_name->body, "hello");
}

TEST_F(Tls, ServesWithAnExpiredCertificateButWarnsAndClientsRefuse) {
  Write("server", authority_.Issue({"huygens", kLocalNames, -20, -10}));
  TestServer server(options_);
  EXPECT_THAT(server.warnings.Take(), HasSubstr("server.crt expired at "));
  EXPECT_LT(*server.server->certificate_expiry(), SystemClock().Now());
  const auto reply = Ask(Trusting(server));
  EXPECT_EQ(reply.status().code(), absl::StatusCode::kUnauthenticated) << reply.status();
  EXPECT_THAT(std::string(Message(reply.status())), HasSubstr("renew"));
  // What an operator does about it works without a restart.
  Write("server", authority_.Issue({"huygens", kLocalNames}));
  server.notices.Take();
  EXPECT_TRUE(Ask(Trusting(server)).ok());
}

TEST_F(Tls, UsesANewCertificateForNewConnectionsAndKeepsTheOldOnes) {
  TestServer server(options_);
  auto old_client = Client::Create(Trusting(server));
  ASSERT_TRUE((*old_client)->Call("GET", "/", "", {}, 20s).ok());
  const Time before = *server.server->certificate_expiry();

  folder_.Write("ca.crt", stranger_.Certificate());
  Write("server", stranger_.Issue({"huygens", kLocalNames, -1, 60}));
  EXPECT_THAT(server.notices.Take(), HasSubstr("reloaded, valid until"));
  EXPECT_GT(*server.server->certificate_expiry(), before + std::chrono::hours(24 * 25));

  EXPECT_TRUE((*old_client)->Call("GET", "/", "", {}, 20s).ok());
  EXPECT_FALSE(Ask(Trusting(server)).ok());
  ClientOptions options = Trusting(server);
  options.ca_data = stranger_.Certificate();
  EXPECT_TRUE(Ask(options).ok());
}

TEST_F(Tls, UsesANewClientAuthority) {
  DemandClients();
  TestServer server(options_, Name);
  EXPECT_FALSE(Ask(As(server, {"c", ""}, stranger_)).ok());
  folder_.Write("ca.crt", authority_.Certificate() + stranger_.Certificate());
  server.notices.Take();
  EXPECT_TRUE(Ask(As(server, {"c", ""}, stranger_)).ok());
  EXPECT_TRUE(Ask(As(server, {"c", ""}, authority_)).ok());
}

TEST_F(Tls, KeepsTheOldCertificateWhenTheNewFilesAreBrokenAndRecovers) {
  TestServer server(options_);
  folder_.Write("server.crt", "no certificate");
  EXPECT_THAT(server.warnings.Take(), HasSubstr("server.crt"));
  EXPECT_TRUE(Ask(Trusting(server)).ok());
  const Issued fresh = authority_.Issue({"huygens", kLocalNames, -1, 60});
  folder_.Write("server.crt", fresh.certificate);  // the key comes later
  EXPECT_THAT(server.warnings.Take(), HasSubstr("does not belong"));
  EXPECT_TRUE(Ask(Trusting(server)).ok());
  std::filesystem::remove(folder_.File("server.key"));
  EXPECT_THAT(server.warnings.Take(), HasSubstr("server.key"));
  EXPECT_TRUE(Ask(Trusting(server)).ok());
  folder_.Write("server.key", fresh.key);
  server.notices.Take();
  EXPECT_TRUE(Ask(Trusting(server)).ok());
  EXPECT_TRUE(server.warnings.empty());  // each fault was told once
}

TEST_F(Tls, ClientUsesItsNewCertificateFiles) {
  DemandClients();
  TestServer server(options_, Name);
  Write("client", authority_.Issue({"before", ""}));
  ClientOptions options = Trusting(server);
  options.cert_file = folder_.File("client.crt");
  options.key_file = folder_.File("client.key");
  auto client = Client::Create(options);
  EXPECT_EQ((*client)->Call("GET", "/", "", {}, 20s)->body, "before");
  Write("client", authority_.Issue({"after", ""}));
  EXPECT_EQ((*client)->Call("GET", "/", "", {}, 20s)->body, "after");
  EXPECT_EQ((*client)->Call("GET", "/", "", {}, 20s)->body, "after");
}

TEST_F(Tls, RefusesToStartAndNamesTheFileAtFault) {
  const auto refused = [&](const std::string& file, const std::string& reason) {
    const Status status = Start();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
    EXPECT_THAT(std::string(Message(status)), HasSubstr(file));
    EXPECT_THAT(std::string(Message(status)), HasSubstr(reason));
  };
  ASSERT_TRUE(Start().ok());
  const ServerOptions good = options_;
  options_.tls.cert_file = folder_.File("missing.crt");
  refused("missing.crt", "No such file");
  options_.tls.cert_file = folder_.Write("text.crt", "nothing of use");
  refused("text.crt", "no PEM block");
  options_.tls.cert_file = folder_.Write("empty.crt", "");
  refused("empty.crt", "empty");
  options_ = good;
  options_.tls.key_file = folder_.File("missing.key");
  refused("missing.key", "No such file");
  options_.tls.key_file = folder_.Write("text.key", "nothing of use");
  refused("text.key", "not usable");
  options_.tls.key_file = folder_.Write("other.key", authority_.Issue({"other", ""}).key);
  refused("other.key", "does not belong to the certificate in ");
  options_ = good;
  options_.tls.client_ca_file = folder_.File("missing-ca.crt");
  refused("missing-ca.crt", "No such file");
  options_.tls.client_ca_file =
      folder_.Write("broken-ca.crt", authority_.Certificate() + "-----BEGIN CERTIFICATE-----\nxx\n");
  refused("broken-ca.crt", "malformed");
  options_.tls.client_ca_file = folder_.File("server.key");
  refused("server.key", "no PEM certificate");
  options_ = good;
  options_.tls.key_file.clear();
  refused("", "both a certificate file and a key file");
  options_ = good;
  options_.tls.allowed_clients = {"a"};
  refused("", "client CA");
}

TEST_F(Tls, BeyondLoopbackClientsWithoutCertificateAreRefusedUnlessAllowedByName) {
  options_.address = "0.0.0.0:0";
  EventLoop loop;
  const auto refused = Server::Start(loop, options_, TestServer::Echo);
  EXPECT_THAT(std::string(refused.status().message()),
              HasSubstr("without client certificates would let anyone place pods"));
  options_.tls.allow_any_client = true;
  EXPECT_TRUE(Server::Start(loop, options_, TestServer::Echo).ok());
}

TEST_F(Tls, MayListenOnAllInterfaces) {
  options_.tls.allow_any_client = true;
  options_.address = ":0";
  TestServer server(options_);
  EXPECT_TRUE(Ask(Trusting(server)).ok());
}

TEST_F(Tls, DrainAnswersWhatIsUnderWay) {
  testing::Inbox<std::function<void()>> held;
  TestServer server(options_, [&](const Request&, Respond respond) {
    held.Put([respond] { respond({200, "text/plain", "answered"}); });
  });
  auto asked = std::async(std::launch::async, [&] { return Ask(Trusting(server)); });
  const auto answer = held.Take();
  testing::Inbox<bool> done;
  server.thread.Ask([&] {
    server.server->Drain(20s, [&](size_t) { done.Put(true); });
    return true;
  });
  answer();
  const auto reply = asked.get();
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_EQ(reply->body, "answered");
  EXPECT_TRUE(done.Take());
}

}  // namespace
}  // namespace huygens::net
