// What happens when every connection is taken, and when many bytes are on their way at once.
#include <gmock/gmock.h>

#include <thread>

#include "net/server.h"
#include "tests/fake/temporary_directory.h"
#include "tests/net/certificates.h"
#include "tests/net/fixture.h"

namespace huygens::net {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using testing::Inbox;
using testing::Post;
using testing::RawConnection;
using testing::TestServer;

ServerOptions Few(size_t connections) {
  ServerOptions options;
  options.max_connections = connections;
  return options;
}

// Holds what says "hold" until the test answers it; echoes the rest.
class HoldingServer {
 public:
  explicit HoldingServer(const ServerOptions& options)
      : server(options, [this](const Request& request, Respond respond) {
          if (request.body != "hold") return TestServer::Echo(request, respond);
          held.Put([respond] { respond({200, "text/plain", "held"}); });
        }) {}
  Inbox<std::function<void()>> held;
  TestServer server;
};

TEST(ServerCrowd, TheConnectionThatNeverAskedGivesWayBeforeTheOneThatDidAndTheOldestFirst) {
  TestServer server(Few(3));
  RawConnection used(server.port()), silent(server.port()), silent_later(server.port());
  EXPECT_TRUE(used.Send(Post("1")));
  EXPECT_EQ(used.Receive().body, "1");
  while (server.thread.Ask([&] { return server.server->connections(); }) < 3) std::this_thread::yield();

  RawConnection fourth(server.port());
  fourth.Send(Post("4"));
  EXPECT_EQ(fourth.Receive().body, "4");
  EXPECT_THAT(server.warnings.Take(), HasSubstr("limit of 3 connections reached; the one idle longest gave way"));
  EXPECT_TRUE(silent.Ended());
  RawConnection fifth(server.port());
  fifth.Send(Post("5"));
  EXPECT_EQ(fifth.Receive().body, "5");
  EXPECT_TRUE(silent_later.Ended());
  used.Send(Post("again"));
  EXPECT_EQ(used.Receive().body, "again");

  // All three have asked by now, `used` last.
  RawConnection sixth(server.port());
  sixth.Send(Post("6"));
  EXPECT_EQ(sixth.Receive().body, "6");
  EXPECT_TRUE(fourth.Ended());
  EXPECT_TRUE(server.warnings.empty()) << "said once while it stays full";
}

TEST(ServerCrowd, ARequestUnderWayNeverGivesWayAndTheNextAnswerMakesRoom) {
  HoldingServer holding(Few(2));
  RawConnection handled(holding.server.port()), reading(holding.server.port());
  handled.Send(Post("hold"));
  const auto answer = holding.held.Take();
  const std::string request = Post("slow");
  reading.Send(request.substr(0, 10));
  RawConnection third(holding.server.port());
  third.Send(Post("third"));
  EXPECT_THAT(holding.server.warnings.Take(), HasSubstr("further ones wait"));
  reading.Send(request.substr(10));
  const auto reply = reading.Receive();
  EXPECT_EQ(reply.body, "slow");
  EXPECT_THAT(reply.head, HasSubstr("Connection: close")) << "somebody waits for the place";
  EXPECT_EQ(third.Receive().body, "third");
  answer();
  EXPECT_EQ(handled.Receive().body, "held");
}

TEST(ServerCrowd, WhereNothingIsChangedUnfinishedRequestsGiveWay) {
  ServerOptions options = Few(8);
  options.unfinished_give_way = true;
  TestServer server(options, [](const Request& request, Respond respond) {
    respond({200, "text/plain", request.path == "/large" ? std::string(16 << 20, 'x') : "small"});
  });
  std::vector<std::unique_ptr<RawConnection>> bad;
  for (int i = 0; i < 8; ++i) {
    bad.push_back(std::make_unique<RawConnection>(server.port()));
    bad.back()->Send(i < 4 ? "GET /he" : "GET /large HTTP/1.1\r\nHost: x\r\n\r\n");
  }
  for (int i = 0; i < 16; ++i) {
    RawConnection probe(server.port());
    probe.Send("GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    EXPECT_EQ(probe.Receive().body, "small") << i;
    bad.push_back(std::make_unique<RawConnection>(server.port()));
    bad.back()->Send("GET /large HTTP/1.1\r\nHost: x\r\n\r\n");
  }
}

// As of clients that send a byte now and then: of a webhook's port anybody may be one.
TEST(ServerCrowd, SlowRequestsAndAnswersGiveWayInTimeWhereNobodyIsIdleAndARequestThatIsHandledNever) {
  ServerOptions options = Few(4);
  options.slow_after = 50ms;
  Inbox<std::function<void()>> held;
  TestServer server(options, [&](const Request& request, Respond respond) {
    if (request.body == "hold") return held.Put([respond] { respond({200, "text/plain", "held"}); });
    respond({200, "text/plain", request.path == "/large" ? std::string(16 << 20, 'x') : std::string(request.body)});
  });
  RawConnection handled(server.port());
  handled.Send(Post("hold"));
  const auto answer = held.Take();
  std::vector<std::unique_ptr<RawConnection>> slow;
  for (int i = 0; i < 40; ++i) {
    slow.push_back(std::make_unique<RawConnection>(server.port()));
    slow.back()->Send(i % 4 == 0 ? "GET /large HTTP/1.1\r\nHost: x\r\n\r\n" : Post("never whole").substr(0, 20));
  }
  for (int i = 0; i < 3; ++i) {
    RawConnection other(server.port());
    other.Send(Post("other"));
    EXPECT_EQ(other.Receive().body, "other") << i;
  }
  answer();
  EXPECT_EQ(handled.Receive().body, "held");
}

TEST(ServerCrowd, TheSlowGiveWayBeforeThoseWhoWereAnswered) {
  ServerOptions options = Few(3);
  options.slow_after = 0ms;
  TestServer server(options);
  RawConnection used(server.port()), slow(server.port());
  used.Send(Post("1"));
  EXPECT_EQ(used.Receive().body, "1");
  slow.Send(Post("never whole").substr(0, 20));
  RawConnection late(server.port());
  late.Send(Post("2"));
  EXPECT_EQ(late.Receive().body, "2");
  RawConnection other(server.port());
  other.Send(Post("3"));
  EXPECT_EQ(other.Receive().body, "3");
  EXPECT_TRUE(slow.Ended());
  used.Send(Post("again"));
  EXPECT_EQ(used.Receive().body, "again");
}

// What a read has taken from the socket, but nobody has looked at, is a request under way.
TEST(ServerCrowd, ARequestThatHasJustArrivedIsAnswered) {
  TestServer server(Few(2));
  for (int i = 0; i < 200; ++i) {
    while (server.thread.Ask([&] { return server.server->connections(); }) > 0) std::this_thread::yield();
    RawConnection first(server.port()), second(server.port());
    first.Send(Post("1"));
    second.Send(Post("2"));
    RawConnection third(server.port());
    third.Send(Post("3"));
    EXPECT_EQ(first.Receive().body, "1") << i;
    EXPECT_EQ(second.Receive().body, "2") << i;
    EXPECT_EQ(third.Receive().body, "3") << i;
  }
}

TEST(ServerCrowd, AHandshakeThatDoesNotBeginGivesWay) {
  const fake::TemporaryDirectory folder;
  const testing::Issued issued = testing::Authority("test").Issue({"huygens", "IP:127.0.0.1"});
  ServerOptions options = Few(2);
  options.tls.cert_file = folder.Write("tls.crt", issued.certificate);
  options.tls.key_file = folder.Write("tls.key", issued.key);
  TestServer server(options);
  RawConnection first(server.port()), second(server.port()), third(server.port());
  EXPECT_TRUE(first.Ended());
}

TEST(ServerCrowd, AConnectionThatAsksNothingIsClosedSoonerThanAnIdleOne) {
  ServerOptions options;
  options.first_request_timeout = 20ms;
  options.idle_timeout = 3600s;
  TestServer server(options);
  RawConnection used(server.port());
  used.Send(Post("1"));
  EXPECT_EQ(used.Receive().status, 200);
  RawConnection silent(server.port());
  EXPECT_TRUE(silent.Ended());
  used.Send(Post("2"));
  EXPECT_EQ(used.Receive().body, "2");
}

TEST(ServerBytes, ABodyBeyondAllThatMayBeInFlightIsRefusedUntilThereIsRoom) {
  const std::string large(400'000, 'x');
  ServerOptions options;
  options.max_bytes_in_flight = 1'000'000;
  Inbox<std::function<void()>> held;
  TestServer server(options, [&](const Request& request, Respond respond) {
    if (request.path != "/hold") return TestServer::Echo(request, respond);
    held.Put([respond] { respond({}); });
  });
  const auto post = [&](const std::string& path) {
    return Concat("POST ", path, " HTTP/1.1\r\nHost: x\r\nContent-Length: 400000\r\n\r\n", large);
  };
  RawConnection first(server.port()), second(server.port());
  first.Send(post("/hold"));
  auto answer_first = held.Take();
  second.Send(post("/hold"));
  const auto answer_second = held.Take();
  EXPECT_EQ(server.server->bytes_in_flight(), 800'000U);

  for (const bool chunked : {false, true}) {
    RawConnection third(server.port());
    third.Send(chunked ? "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n61a80\r\n" + large +
                             "\r\n0\r\n\r\n"
                       : post("/"));
    const auto refused = third.Receive();
    EXPECT_EQ(refused.status, 503) << chunked;
    EXPECT_THAT(refused.head, HasSubstr("Retry-After: 1")) << chunked;
    EXPECT_THAT(refused.body, HasSubstr("try again")) << chunked;
  }
  RawConnection small(server.port());
  small.Send(Post("a bind"));
  EXPECT_EQ(small.Receive().body, "a bind") << "short requests always pass";

  answer_first();
  answer_first = nullptr;  // whoever may answer holds the request
  EXPECT_EQ(first.Receive().status, 200);
  RawConnection fourth(server.port());
  // The first one's body is let go of on the loop's thread, some tasks after its answer.
  while (server.server->bytes_in_flight() > 400'000) std::this_thread::yield();
  fourth.Send(post("/"));
  EXPECT_EQ(fourth.Receive().body.size(), large.size());
  answer_second();
  EXPECT_EQ(second.Receive().status, 200);
}

TEST(ServerBytes, AnswersThatAreNotTakenCountAndNothingIsLeftWhenTheirConnectionIsGone) {
  ServerOptions options;
  options.max_bytes_in_flight = 40'000'000;
  TestServer server(options, [](const Request& request, Respond respond) {
    respond({200, "text/plain", std::string(request.path == "/large" ? 50'000'000 : 1, 'x')});
  });
  auto slow = std::make_unique<RawConnection>(server.port());
  slow->Send("GET /large HTTP/1.1\r\nHost: x\r\n\r\n");
  while (server.server->bytes_in_flight() < 50'000'000) std::this_thread::yield();
  RawConnection other(server.port());
  other.Send(Post(std::string(100'000, 'x')));
  EXPECT_EQ(other.Receive().status, 503);
  slow.reset();
  while (server.server->bytes_in_flight() > 0) std::this_thread::yield();
  RawConnection again(server.port());
  again.Send(Post(std::string(100'000, 'x')));
  EXPECT_EQ(again.Receive().status, 200);
}

// Piece after piece, and how many of them were asked for.
struct Pieces {
  int left = 0;
  size_t size = 0;
  std::atomic<int> asked = 0;
};
Handler Streaming(std::shared_ptr<Pieces> pieces) {
  return [pieces](const Request&, Respond respond) {
    respond({.status = 200, .content_type = "text/plain", .body = "begin ", .more = [pieces](const NextPiece& next) {
               ++pieces->asked;
               next(pieces->left-- > 0 ? std::string(pieces->size, 'x') : "");
             }});
  };
}

std::string Rest(RawConnection& connection) {
  std::string text;
  char piece[65536];
  for (ssize_t size = 0; (size = ::recv(connection.socket(), piece, sizeof piece, 0)) > 0;)
    text.append(piece, static_cast<size_t>(size));
  return text;
}

TEST(ServerStream, SendsPiecesChunkedAndKeepsTheConnection) {
  auto pieces = std::make_shared<Pieces>();
  pieces->left = 2;
  pieces->size = 17;
  TestServer server({}, Streaming(pieces));
  RawConnection connection(server.port());
  const std::string get = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
  connection.Send(get + "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  const std::string x(17, 'x');
  const std::string text = Rest(connection);
  EXPECT_THAT(text, HasSubstr("Transfer-Encoding: chunked\r\nConnection: keep-alive\r\n\r\n6\r\nbegin \r\n11\r\n" + x +
                              "\r\n11\r\n" + x + "\r\n0\r\n\r\nHTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(text, HasSubstr("Connection: close\r\n\r\n6\r\nbegin \r\n0\r\n\r\n"));
}

TEST(ServerStream, AClientThatKnowsNoChunksGetsPlainBytesAndTheHeadAloneAsksForNothing) {
  auto pieces = std::make_shared<Pieces>();
  pieces->left = 2;
  pieces->size = 3;
  TestServer server({}, Streaming(pieces));
  RawConnection head(server.port());
  head.Send("HEAD / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  const std::string headers = Rest(head);
  EXPECT_THAT(headers, ::testing::EndsWith("Connection: close\r\n\r\n"));
  EXPECT_THAT(headers, ::testing::Not(HasSubstr("Content-Length"))) << "nobody knows it yet";
  EXPECT_EQ(pieces->asked, 0);
  RawConnection old(server.port());
  old.Send("GET / HTTP/1.0\r\n\r\n");
  EXPECT_THAT(Rest(old), ::testing::EndsWith("Connection: close\r\n\r\nbegin xxxxxx"));
}

TEST(ServerStream, ASlowReaderHoldsOnePieceAndIsCutInTime) {
  auto pieces = std::make_shared<Pieces>();
  pieces->left = 1'000'000;
  pieces->size = 1 << 20;
  ServerOptions options;
  options.write_timeout = 200ms;
  TestServer server(options, Streaming(pieces));
  RawConnection slow(server.port());
  slow.Send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  size_t most = 0;
  while (server.faults.empty()) most = std::max(most, server.server->bytes_in_flight());
  EXPECT_THAT(server.faults.Take(), HasSubstr("not taken in time"));
  EXPECT_LE(most, (1U << 20) + 2);
  EXPECT_LT(pieces->asked, 100) << "what the sockets' buffers hold, and one more";
  while (pieces.use_count() > 2) std::this_thread::yield();  // the server's handler has one
}

TEST(ServerStream, AnAnswerThatCannotBeFinishedIsCutAndNotTakenForWhole) {
  TestServer server(
      {}, [](const Request&, Respond respond) { respond({.body = "begin", .more = [](const NextPiece&) {}}); });
  RawConnection connection(server.port());
  connection.Send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(Rest(connection), ::testing::EndsWith("begin\r\n")) << "no last chunk";
  EXPECT_THAT(server.faults.Take(), HasSubstr("could not be finished"));
}

TEST(ServerEnd, AnswersEndTheirConnectionsAndNewOnesAreStillServed) {
  TestServer server;
  RawConnection idle(server.port());
  idle.Send(Post("1"));
  EXPECT_THAT(idle.Receive().head, HasSubstr("Connection: keep-alive"));
  server.thread.Ask([&] {
    server.server->EndConnections();
    return true;
  });
  RawConnection later(server.port());
  later.Send(Post("2"));
  const auto reply = later.Receive();
  EXPECT_EQ(reply.body, "2");
  EXPECT_THAT(reply.head, HasSubstr("Connection: close"));
  EXPECT_TRUE(later.Ended());
  // A request on a connection that was kept is answered: Go's client would not send it again.
  idle.Send(Post("3"));
  EXPECT_EQ(idle.Receive().body, "3");
  EXPECT_TRUE(idle.Ended());
}

TEST(ServerRequest, SaysWhetherItCameFromThisMachineAndWithWhatAuthorization) {
  TestServer server({}, [](const Request& request, Respond respond) {
    respond({200, "text/plain", Concat(request.from_loopback ? "here " : "elsewhere ", request.authorization)});
  });
  RawConnection connection(server.port());
  connection.Send("GET / HTTP/1.1\r\nHost: x\r\nauthorization: Bearer abc\r\n\r\n");
  EXPECT_EQ(connection.Receive().body, "here Bearer abc");
}

}  // namespace
}  // namespace huygens::net
