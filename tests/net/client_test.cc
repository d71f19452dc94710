#include "net/client.h"

#include <gmock/gmock.h>

#include "tests/fake/temporary_directory.h"
#include "tests/net/certificates.h"
#include "tests/net/fixture.h"
#include "tests/net/peer.h"

namespace huygens::net {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using testing::Inbox;
using testing::kOk;
using ::testing::Not;
using testing::Peer;
using testing::TestServer;
using testing::To;

TEST(Client, SendsMethodPathHeadersAndBodyAndReturnsTheReply) {
  Inbox<std::string> requests;
  Peer peer([&](int, int socket) {
    requests.Put(Peer::ReadRequest(socket, 7));
    Peer::Send(socket,
               "HTTP/1.1 429 Too Many Requests\r\nRetry-After: 7\r\nContent-Type: text/plain\r\nContent-Length: "
               "4\r\n\r\nslow");
  });
  auto client = To(peer.Url() + "/prefix/");
  const auto reply =
      client->Call("PATCH", "/a?b=c", "{\"x\":1}", {{"Content-Type", "application/merge-patch+json"}}, 20s);
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_EQ(reply->code, 429);
  EXPECT_EQ(reply->body, "slow");
  EXPECT_EQ(reply->content_type, "text/plain");
  EXPECT_EQ(reply->retry_after, Duration(7s));
  const std::string request = requests.Take();
  EXPECT_THAT(request, ::testing::StartsWith("PATCH /prefix/a?b=c HTTP/1.1\r\n"));
  EXPECT_THAT(request, HasSubstr("Content-Type: application/merge-patch+json\r\n"));
  EXPECT_THAT(request, HasSubstr("User-Agent: huygens/"));
  EXPECT_THAT(request, Not(HasSubstr("Expect:")));
  EXPECT_THAT(request, ::testing::EndsWith("\r\n\r\n{\"x\":1}"));
}

TEST(Client, ReadsTheTextsOfWarnings) {
  Peer peer([&](int, int socket) {
    Peer::ReadRequest(socket);
    Peer::Send(socket,
               "HTTP/1.1 103 Early Hints\r\nWarning: 299 - \"of another head\"\r\n\r\n"
               "HTTP/1.1 200 OK\r\nWarning: 299 - \"limits.cpu is 95 % used\"\r\nX-Warning: 299 - \"no\"\r\n"
               "warning: 299 host \"say \\\"yes\\\" once\" \"Tue, 24 Nov 2026 19:00:00 GMT\"\r\nWarning: 299 - none\r\n"
               "Warning: 299 - \"not closed\r\nContent-Length: 2\r\n\r\nok");
  });
  const auto reply = To(peer.Url())->Call("GET", "/", "", {}, 20s);
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_EQ(reply->code, 200);
  EXPECT_THAT(reply->warnings, ::testing::ElementsAre("limits.cpu is 95 % used", R"(say "yes" once)", "not closed"));
}

TEST(Client, KeepsItsConnection) {
  TestServer server;
  auto client = To(server.Url());
  for (int i = 0; i < 5; ++i) {
    const std::string body = "call " + std::to_string(i);
    const auto reply = client->Call("POST", "/", body, {}, 20s);
    ASSERT_TRUE(reply.ok()) << reply.status();
    EXPECT_EQ(reply->body, body);
    EXPECT_EQ(reply->retry_after, std::nullopt);
  }
  EXPECT_EQ(server.thread.Ask([&] { return server.server->connections(); }), 1U);
  EXPECT_EQ(client->Call("DELETE", "/", "", {}, 20s)->code, 200);
  EXPECT_EQ(client->Call("HEAD", "/", "", {}, 20s)->code, 200);
  EXPECT_EQ(client->Call("DELETE", "/", "{\"kind\":\"DeleteOptions\"}", {}, 20s)->body, "{\"kind\":\"DeleteOptions\"}");
}

TEST(Client, SaysUnavailableWhenNothingWasSent) {
  std::string url;
  {
    const Peer gone([](int, int) {});
    url = gone.Url();
  }
  TestServer server;
  auto client = To(url);
  const auto refused = client->Call("POST", "/bind?token=hidden", "x", {}, 20s);
  EXPECT_EQ(refused.status().code(), absl::StatusCode::kUnavailable) << refused.status();
  EXPECT_EQ(Message(refused.status()), "POST " + url + "/bind: Connection refused") << "the same text each time";
  EXPECT_THAT(std::string(Message(refused.status())), Not(HasSubstr("hidden")));
  EXPECT_EQ(To("http://host.invalid:1")->Call("GET", "/", "", {}, 20s).status().code(), absl::StatusCode::kUnavailable);
}

TEST(Client, SaysUnavailableAfterAGoodCallToo) {
  std::unique_ptr<Client> client;
  {
    TestServer server;
    client = To(server.Url());
    ASSERT_TRUE(client->Call("POST", "/", "x", {}, 20s).ok());
  }
  // What the first call sent must not count for the second.
  const auto second = client->Call("POST", "/", "x", {}, 20s);
  EXPECT_EQ(second.status().code(), absl::StatusCode::kUnavailable) << second.status();
}

TEST(Client, SaysUnknownWhenTheConnectionBreaksBeforeTheReplyIsComplete) {
  for (const std::string& part :
       {std::string(), std::string("HTTP/1.1 20"), std::string("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf")}) {
    Peer peer([&](int, int socket) {
      Peer::ReadRequest(socket, 1);
      Peer::Send(socket, part);
    });
    const auto reply = To(peer.Url())->Call("POST", "/", "x", {}, 20s);
    EXPECT_EQ(reply.status().code(), absl::StatusCode::kUnknown) << reply.status();
  }
}

TEST(Client, NeverSendsABodyTwice) {
  Inbox<std::string> requests;
  Peer peer([&](int, int socket) {
    requests.Put(Peer::ReadRequest(socket, 1));
    Peer::Send(socket, kOk);
    requests.Put(Peer::ReadRequest(socket, 1));  // then the kept-alive connection breaks without an answer
  });
  auto client = To(peer.Url());
  ASSERT_TRUE(client->Call("POST", "/first", "x", {}, 20s).ok());
  EXPECT_THAT(requests.Take(), HasSubstr("/first"));
  const auto second = client->Call("POST", "/second", "y", {}, 20s);
  EXPECT_EQ(second.status().code(), absl::StatusCode::kUnknown) << second.status();
  EXPECT_THAT(requests.Take(), HasSubstr("/second"));
  const auto third = client->Call("POST", "/third", "z", {}, 20s);
  EXPECT_TRUE(third.ok()) << third.status();
  // libcurl connects again before it notices that it cannot repeat: empty requests may come in between.
  std::string after;
  while (after.empty()) after = requests.Take();
  EXPECT_THAT(after, HasSubstr("/third"));
}

TEST(Client, SaysDeadlineExceededWhenTheReplyIsLate) {
  Peer peer([](int, int socket) { Peer::WaitForEnd(socket); });
  const auto reply = To(peer.Url())->Call("POST", "/", "x", {}, 30ms);
  EXPECT_EQ(reply.status().code(), absl::StatusCode::kDeadlineExceeded) << reply.status();
  EXPECT_EQ(Message(reply.status()), "POST " + peer.Url() + "/: no answer in time");
}

TEST(Client, RefusesRepliesBeyondItsLimit) {
  TestServer server;
  ClientOptions options;
  options.base_url = server.Url();
  options.max_reply_bytes = 1000;
  auto client = *Client::Create(options);
  EXPECT_TRUE(client->Call("POST", "/", std::string(1000, 'x'), {}, 20s).ok());
  const auto reply = client->Call("POST", "/", std::string(1001, 'x'), {}, 20s);
  EXPECT_EQ(reply.status().code(), absl::StatusCode::kResourceExhausted) << reply.status();
}

TEST(Client, HearsARefusalThatComesBeforeItsBodyIsSent) {
  ServerOptions server_options;
  server_options.max_body_bytes = 1000;
  TestServer server(server_options);
  const auto reply = To(server.Url())->Call("POST", "/", std::string(5'000'000, 'x'), {}, 20s);
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_EQ(reply->code, 413);
}

TEST(Client, DoesNotFollowRedirectsOrUseTheEnvironmentsProxy) {
  ::setenv("http_proxy", "http://127.0.0.1:1", 1);  // NOLINT(concurrency-mt-unsafe): no thread reads it
  Peer peer([](int, int socket) {
    Peer::ReadRequest(socket);
    Peer::Send(socket, "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n");
  });
  const auto reply = To(peer.Url())->Call("GET", "/", "", {}, 20s);
  ::unsetenv("http_proxy");  // NOLINT(concurrency-mt-unsafe): no thread reads it
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_EQ(reply->code, 302);
}

TEST(Client, ReadsItsTokenFileAgainWhenItChanges) {
  const fake::TemporaryDirectory folder;
  Inbox<std::string> requests;
  Peer peer([&](int, int socket) {
    requests.Put(Peer::ReadRequest(socket));
    Peer::Send(socket, "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok");
  });
  ClientOptions options;
  options.base_url = peer.Url();
  options.bearer_token = "unused";
  options.bearer_token_file = folder.File("token");
  auto client = *Client::Create(options);
  const Status missing = client->Call("GET", "/", "", {}, 20s).status();
  EXPECT_EQ(missing.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(Message(missing)), HasSubstr(folder.File("token")));
  for (const std::string token : {"one", "second"}) {
    folder.Write("token", token + "\n");
    ASSERT_TRUE(client->Call("GET", "/", "", {}, 20s).ok());
    EXPECT_THAT(requests.Take(), HasSubstr("Authorization: Bearer " + token + "\r\n"));
  }
  folder.Write("token", "");  // in the middle of a rotation
  ASSERT_TRUE(client->Call("GET", "/", "", {}, 20s).ok());
  EXPECT_THAT(requests.Take(), HasSubstr("Authorization: Bearer second\r\n"));
}

TEST(Client, RefusesOptionsThatCannotBeMeant) {
  const auto fault = [](auto change) {
    ClientOptions options;
    options.base_url = "https://127.0.0.1:1";
    change(options);
    const Status status = Client::Create(options).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
    return std::string(Message(status));
  };
  EXPECT_THAT(fault([](auto& o) { o.base_url = "https://me:secret@host"; }), Not(HasSubstr("secret")));
  EXPECT_THAT(fault([](auto& o) { o.base_url = "not a url"; }), HasSubstr("URL"));
  EXPECT_THAT(fault([](auto& o) { o.base_url = "ftp://host"; }), HasSubstr("https://"));
  EXPECT_THAT(fault([](auto& o) { o.cert_file = "/x"; }), HasSubstr("key"));
  EXPECT_THAT(fault([](auto& o) { o.bearer_token = "sec\r\nret"; }), Not(HasSubstr("ret\0")));
  auto client = To("http://127.0.0.1:1");
  EXPECT_EQ(client->Call("GET", "no-slash", "", {}, 1s).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(client->Call("GET", "/a b", "", {}, 1s).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(client->Call("GET", "/", "", {{"A", "b\r\nC: d"}}, 1s).status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace huygens::net
