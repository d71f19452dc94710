// What the server refuses, cuts, or lets wait.
#include <gmock/gmock.h>
#include <sys/resource.h>

#include "net/server.h"
#include "tests/net/fixture.h"

namespace huygens::net {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using testing::Inbox;
using testing::Post;
using testing::RawConnection;
using testing::TestServer;

TEST(ServerLimits, RefusesALargeBodyBeforeItIsSentAndTheAnswerArrives) {
  ServerOptions options;
  options.max_body_bytes = 1000;
  TestServer server(options);
  RawConnection asking(server.port());
  asking.Send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1001\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_EQ(asking.Receive().status, 413);
  RawConnection fitting(server.port());
  fitting.Send(Post(std::string(1000, 'x')));
  EXPECT_EQ(fitting.Receive().status, 200);
  RawConnection sending(server.port());
  // More than the sockets' buffers: the server takes what comes instead of cutting its answer off.
  EXPECT_TRUE(sending.Send(Post(std::string(5'000'000, 'x'))));
  const auto reply = sending.Receive();
  EXPECT_EQ(reply.status, 413);
  EXPECT_THAT(reply.body, HasSubstr("larger than 1000 bytes"));
  EXPECT_THAT(reply.head, HasSubstr("Connection: close"));
  RawConnection chunked(server.port());
  chunked.Send("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3e9\r\n" + std::string(1001, 'x') +
               "\r\n0\r\n\r\n");
  EXPECT_EQ(chunked.Receive().status, 413);
}

TEST(ServerLimits, TellsWhatWasRefusedAndOfWhichPath) {
  Inbox<std::string> refused;
  ServerOptions options;
  options.max_body_bytes = 10;
  options.observers.on_refused = [&](const RefusedRequest& request) {
    refused.Put(std::string(request.path) + " " + std::to_string(request.status) + " " + std::string(request.reason));
    EXPECT_THAT(std::string(request.peer), HasSubstr("127.0.0.1:"));
    EXPECT_GT(request.bytes_in, 0U);
    EXPECT_GT(request.duration, Duration::zero());
  };
  TestServer server(options);
  RawConnection large(server.port());
  large.Send("POST /filter?x=1 HTTP/1.1\r\nHost: x\r\nContent-Length: 11\r\n\r\n");
  EXPECT_EQ(large.Receive().body, "the body is larger than 10 bytes\n");
  EXPECT_EQ(refused.Take(), "/filter 413 the body is larger than 10 bytes");
  RawConnection noise(server.port());
  noise.Send("noise\r\n\r\n");
  EXPECT_EQ(noise.Receive().status, 400);
  EXPECT_THAT(refused.Take(), HasSubstr(" 400 malformed HTTP"));
  RawConnection fitting(server.port());
  fitting.Send(Post("x"));
  EXPECT_EQ(fitting.Receive().status, 200);
  EXPECT_TRUE(refused.empty());
}

TEST(ServerLimits, RefusesALongHeader) {
  TestServer server;
  RawConnection connection(server.port());
  connection.Send("GET / HTTP/1.1\r\nHost: x\r\nX: " + std::string(9000, 'x') + "\r\n\r\n");
  EXPECT_EQ(connection.Receive().status, 431);
  RawConnection endless(server.port());
  endless.Send("GET / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1;" + std::string(100'000, 'x'));
  EXPECT_EQ(endless.Receive().status, 400);
}

TEST(ServerLimits, RefusesWhatIsNotHttpAndCloses) {
  TestServer server;
  for (const char* input : {"\x16\x03\x01\x02\x01\x01", "GET /\r\n\r\n", "GET / HTTP/2.0\r\n\r\n",
                            "{\"Pod\":{}}\r\n\r\n", "POST / HTTP/1.1\r\nContent-Length: x\r\n\r\n",
                            "POST / HTTP/1.1\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd",
                            "POST / HTTP/1.1\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\nabc",
                            "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"}) {
    RawConnection connection(server.port());
    connection.Send(input);
    connection.EndSending();
    const auto reply = connection.Receive();
    EXPECT_EQ(reply.status, 400) << input;
    EXPECT_TRUE(connection.Ended()) << input;
    EXPECT_FALSE(server.faults.Take().empty());
  }
  RawConnection connection(server.port());
  connection.Send("NONSENSE\r\n\r\n");
  EXPECT_EQ(connection.Receive().status, 400);
}

TEST(ServerLimits, Answers408WhenARequestDoesNotArriveInTime) {
  ServerOptions options;
  options.read_timeout = 30ms;
  TestServer server(options);
  for (const std::string& start :
       {std::string("P"), std::string("POST / HTTP/1.1\r\nHost:"), Post("body").substr(0, Post("body").size() - 1),
        Post(std::string(100'000, 'x')).substr(0, 90'000),
        std::string("POST / HTTP/1.1\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n")}) {
    RawConnection connection(server.port());
    ASSERT_TRUE(connection.Send(start));
    auto reply = connection.Receive();
    if (reply.status == 100) reply = connection.Receive();
    EXPECT_EQ(reply.status, 408) << start;
    EXPECT_TRUE(connection.Ended());
    EXPECT_THAT(server.faults.Take(), HasSubstr("in time"));
  }
}

TEST(ServerLimits, ClosesIdleConnectionsAndNoOthers) {
  ServerOptions options;
  options.idle_timeout = 20ms;
  Inbox<std::function<void()>> held;
  TestServer server(options, [&](const Request&, Respond respond) { held.Put([respond] { respond({}); }); });
  RawConnection busy(server.port());
  busy.Send(Post("hold"));
  const auto answer = held.Take();
  RawConnection silent(server.port());
  EXPECT_TRUE(silent.Ended());  // at least one idle time-out has passed for the busy one
  answer();
  EXPECT_EQ(busy.Receive().status, 200);
  EXPECT_TRUE(busy.Ended());
  EXPECT_TRUE(server.faults.empty());
}

TEST(ServerLimits, CutsAClientThatDoesNotTakeItsAnswer) {
  ServerOptions options;
  options.write_timeout = 30ms;
  TestServer server(
      options, [](const Request&, Respond respond) { respond({200, "text/plain", std::string(50'000'000, 'x')}); });
  RawConnection connection(server.port());
  connection.Send(Post(""));
  EXPECT_THAT(server.faults.Take(), HasSubstr("not taken in time"));
}

TEST(ServerLimits, GoesOnAcceptingAfterFileDescriptorsRanOut) {
  TestServer server;
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  RawConnection held(server.port());
  held.Send(Post("held"));
  ASSERT_EQ(held.Receive().body, "held");
  const int client = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const timeval patience{20, 0};
  ::setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  rlimit tight = before;
  tight.rlim_cur = static_cast<rlim_t>(client) + 1;  // none left
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &tight), 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(server.port());
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(::connect(client, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  const std::string warning = server.warnings.Take();
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_THAT(warning, HasSubstr("cannot accept"));
  const std::string request = Post("after all", "Connection: close\r\n");
  EXPECT_EQ(::send(client, request.data(), request.size(), MSG_NOSIGNAL), static_cast<ssize_t>(request.size()));
  char reply[4096];
  EXPECT_GT(::recv(client, reply, sizeof reply, 0), 0);
  ::close(client);
}

}  // namespace
}  // namespace huygens::net
