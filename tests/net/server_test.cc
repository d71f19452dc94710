#include "net/server.h"

#include <gmock/gmock.h>

#include <thread>

#include "tests/net/fixture.h"

namespace huygens::net {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using testing::Inbox;
using testing::Post;
using testing::RawConnection;
using testing::TestServer;

TEST(Server, AnswersRequestAfterRequestOnOneConnection) {
  TestServer server;
  RawConnection connection(server.port());
  for (int i = 0; i < 20; ++i) {
    const std::string body(static_cast<size_t>(i * 10'000), static_cast<char>('a' + i));
    ASSERT_TRUE(connection.Send(Post(body)));
    const auto reply = connection.Receive();
    ASSERT_EQ(reply.status, 200);
    ASSERT_EQ(reply.body, body);
    EXPECT_THAT(reply.head, HasSubstr("Content-Type: application/json\r\n"));
    EXPECT_THAT(reply.head, HasSubstr("Connection: keep-alive\r\n"));
  }
  EXPECT_TRUE(server.faults.empty());
}

TEST(Server, ShowsMethodPathQueryAndPeer) {
  TestServer server({}, [](const Request& request, Respond respond) {
    respond({202, "text/plain",
             Concat(request.method, "|", request.path, "|", request.query, "|", request.client_name, "|",
                    request.peer.substr(0, request.peer.find(':')))});
  });
  RawConnection connection(server.port());
  connection.Send("PROPFIND /a/b?x=1&y=%20 HTTP/1.1\r\nHost: x\r\n\r\n");
  const auto reply = connection.Receive();
  EXPECT_EQ(reply.status, 202);
  EXPECT_EQ(reply.body, "PROPFIND|/a/b|x=1&y=%20||127.0.0.1");
  connection.Send("FROB /c HTTP/1.1\r\n\r\n");
  EXPECT_EQ(connection.Receive().body, "FROB|/c|||127.0.0.1");
}

TEST(Server, AnswersPipelinedRequestsInOrder) {
  TestServer server;
  RawConnection connection(server.port());
  std::string many;
  for (int i = 0; i < 50; ++i)
    many += Post("body " + std::to_string(i) + std::string(static_cast<size_t>(i * 100), '.'));
  ASSERT_TRUE(connection.Send(many));
  for (int i = 0; i < 50; ++i) {
    EXPECT_EQ(connection.Receive().body, "body " + std::to_string(i) + std::string(static_cast<size_t>(i * 100), '.'));
  }
}

TEST(Server, AnswersPipelinedRequestsInOrderWhenTheFirstAnswerComesLate) {
  Inbox<std::function<void()>> held;
  TestServer server({}, [&](const Request& request, Respond respond) {
    if (request.body == "late") {
      held.Put([respond] { respond({200, "text/plain", "late"}); });
    } else {
      respond({200, "text/plain", std::string(request.body)});
    }
  });
  RawConnection connection(server.port());
  connection.Send(Post("late") + Post("next"));
  held.Take()();  // from this thread, not the loop's
  EXPECT_EQ(connection.Receive().body, "late");
  EXPECT_EQ(connection.Receive().body, "next");
}

TEST(Server, KeepsTheRequestUntilItIsAnswered) {
  Inbox<std::function<void()>> held;
  TestServer server({}, [&](const Request& request, Respond respond) {
    held.Put([&request, respond] { respond({200, "text/plain", Concat(request.path, request.body)}); });
  });
  RawConnection connection(server.port());
  const std::string body(200'000, 'x');
  connection.Send(Post(body));
  const auto answer = held.Take();
  RawConnection other(server.port());
  other.Send(Post("y"));
  held.Take()();
  EXPECT_EQ(other.Receive().body, "/filtery");
  server.thread.loop.Post(answer);
  EXPECT_EQ(connection.Receive().body, "/filter" + body);
}

TEST(Server, Answers500WhenTheHandlerDropsARequestOrThrows) {
  TestServer server({}, [](const Request& request, Respond) {
    if (request.body == "throw") throw std::runtime_error("no luck");
  });
  RawConnection connection(server.port());
  connection.Send(Post("drop"));
  EXPECT_EQ(connection.Receive().status, 500);
  connection.Send(Post("throw"));
  EXPECT_EQ(connection.Receive().status, 500);
  EXPECT_THAT(server.warnings.Take(), HasSubstr("no luck"));
}

TEST(Server, TakesTheFirstOfSeveralAnswers) {
  TestServer server({}, [](const Request&, Respond respond) {
    const Respond copy = respond;
    respond({200, "text/plain", "first"});
    copy({200, "text/plain", "second"});
  });
  RawConnection connection(server.port());
  connection.Send(Post("") + Post(""));
  EXPECT_EQ(connection.Receive().body, "first");
  EXPECT_EQ(connection.Receive().body, "first");
}

TEST(Server, IgnoresAnAnswerForAConnectionThatIsGone) {
  Inbox<std::function<void()>> held;
  TestServer server({}, [&](const Request& request, Respond respond) {
    if (request.body == "hold") return held.Put([respond] { respond({}); });
    TestServer::Echo(request, respond);
  });
  std::function<void()> answer;
  {
    RawConnection connection(server.port());
    connection.Send(Post("hold"));
    answer = held.Take();
  }
  answer();
  RawConnection next(server.port());
  next.Send(Post("still here"));
  EXPECT_EQ(next.Receive().body, "still here");
}

TEST(Server, ServesHttp10AndClosesAfterwards) {
  TestServer server;
  RawConnection connection(server.port());
  connection.Send("POST / HTTP/1.0\r\nContent-Length: 3\r\n\r\nabc");
  const auto reply = connection.Receive();
  EXPECT_EQ(reply.body, "abc");
  EXPECT_THAT(reply.head, HasSubstr("Connection: close"));
  EXPECT_TRUE(connection.Ended());
}

TEST(Server, ClosesWhenTheClientAsksForIt) {
  TestServer server;
  RawConnection connection(server.port());
  connection.Send(Post("bye", "Connection: close\r\n"));
  EXPECT_EQ(connection.Receive().body, "bye");
  EXPECT_TRUE(connection.Ended());
}

TEST(Server, TakesChunkedBodies) {
  TestServer server;
  RawConnection connection(server.port());
  connection.Send("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhuyg\r\n");
  connection.Send("3;x=y\r\nens\r\n0\r\nTrailer: 1\r\n\r\n" + Post("next"));
  EXPECT_EQ(connection.Receive().body, "huygens");
  EXPECT_EQ(connection.Receive().body, "next");
}

TEST(Server, AnswersHeadWithoutBody) {
  TestServer server({}, [](const Request&, Respond respond) { respond({200, "text/plain", "12345"}); });
  RawConnection connection(server.port());
  connection.Send("HEAD / HTTP/1.1\r\nHost: x\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(connection.Receive(/*with_body=*/false).head, HasSubstr("Content-Length: 5\r\n"));
  EXPECT_EQ(connection.Receive().body, "12345");
}

TEST(Server, AsksForTheBodyWhenTheClientWaitsForThat) {
  TestServer server;
  RawConnection connection(server.port());
  connection.Send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_EQ(connection.Receive().status, 100);
  connection.Send("body");
  EXPECT_EQ(connection.Receive().body, "body");
  connection.Send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nExpect: miracles\r\n\r\n");
  EXPECT_EQ(connection.Receive().status, 417);
}

TEST(Server, ServesFiftyConnectionsAtOnce) {
  std::vector<Respond> held;  // on the loop only
  TestServer server({}, [&](const Request&, Respond respond) {
    held.push_back(std::move(respond));
    if (held.size() < 50) return;  // proof that all are inside at the same time
    for (size_t i = 0; i < held.size(); ++i) held[i]({200, "text/plain", std::string(150'000, 'z')});
    held.clear();
  });
  std::vector<std::thread> clients;
  std::atomic<int> good = 0;
  for (int i = 0; i < 50; ++i) {
    clients.emplace_back([&] {
      RawConnection connection(server.port());
      for (int round = 0; round < 4; ++round) {
        connection.Send(Post(std::string(20'000, 'q')));
        if (connection.Receive().body.size() == 150'000) ++good;
      }
    });
  }
  for (auto& client : clients) client.join();
  EXPECT_EQ(good, 200);
}

TEST(Server, RecordsWhatBecameOfEachRequest) {
  struct Record {
    std::string what;
    size_t in, out;
    Duration duration;
  };
  Inbox<Record> records;
  ServerOptions options;
  options.observers.on_request = [&](const RequestRecord& record) {
    records.Put({Concat(record.method, " ", record.path, " ", std::to_string(record.status)), record.bytes_in,
                 record.bytes_out, record.duration});
  };
  TestServer server(options);
  RawConnection connection(server.port());
  const std::string request = Post(std::string(100'000, 'b'));
  connection.Send(request);
  const auto reply = connection.Receive();
  const Record record = records.Take();
  EXPECT_EQ(record.what, "POST /filter 200");
  EXPECT_EQ(record.in, request.size());
  EXPECT_EQ(record.out, reply.head.size() + 2 + reply.body.size());
  EXPECT_GT(record.duration, 0ns);
  EXPECT_LT(record.duration, 20s);
}

TEST(Server, ServersOnTwoLoopsAreIndependent) {
  TestServer one, two({}, [](const Request&, Respond respond) { respond({200, "text/plain", "two"}); });
  RawConnection first(one.port()), second(two.port());
  first.Send(Post("one"));
  second.Send(Post("?"));
  EXPECT_EQ(first.Receive().body, "one");
  EXPECT_EQ(second.Receive().body, "two");
}

Status StartAt(const std::string& address, bool allow_plain_http = false) {
  EventLoop loop;
  ServerOptions options;
  options.address = address;
  options.allow_plain_http = allow_plain_http;
  return Server::Start(loop, options, TestServer::Echo).status();
}

TEST(Server, RefusesPlainHttpForOthersUnlessAllowed) {
  EXPECT_TRUE(StartAt("127.0.0.1:0").ok());
  EXPECT_TRUE(StartAt("localhost:0").ok());
  for (const char* address : {"0.0.0.0:0", ":0", "[::]:0"}) {
    const Status status = StartAt(address);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << address;
    EXPECT_THAT(std::string(Message(status)), HasSubstr("plain HTTP")) << address;
  }
  EXPECT_TRUE(StartAt("0.0.0.0:0", true).ok());
  EXPECT_TRUE(StartAt(":0", true).ok());
}

TEST(Server, SaysWhatIsWrongWithAnAddress) {
  for (const char* address :
       {"", "127.0.0.1", "127.0.0.1:", "127.0.0.1:x", "127.0.0.1:70000", "::1:0", "node-1:80", "[::1:0"}) {
    const Status status = StartAt(address, true);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << address;
    EXPECT_THAT(std::string(Message(status)), HasSubstr(Concat("\"", address, "\"")));
  }
  TestServer taken;
  const std::string address = "127.0.0.1:" + std::to_string(taken.port());
  const Status status = StartAt(address);
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(Message(status)), HasSubstr(address));
}

}  // namespace
}  // namespace huygens::net
