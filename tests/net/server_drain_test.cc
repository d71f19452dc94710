#include <gmock/gmock.h>

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

TEST(ServerDrain, AnswersWhatIsUnderWayClosesTheIdleAndEnds) {
  Inbox<std::function<void()>> held;
  TestServer server({}, [&](const Request& request, Respond respond) {
    if (request.body == "idle") return TestServer::Echo(request, respond);
    held.Put([respond] { respond({200, "text/plain", "answered"}); });
  });
  RawConnection idle(server.port()), handled(server.port()), half(server.port());
  idle.Send(Post("idle"));
  EXPECT_EQ(idle.Receive().status, 200);
  handled.Send(Post("wait"));
  const auto answer = held.Take();
  const std::string request = Post("half");
  half.Send(request.substr(0, 20));
  // Once a later request is answered, the loop has read the half one.
  RawConnection later(server.port());
  later.Send(Post("idle"));
  EXPECT_EQ(later.Receive().status, 200);

  Inbox<bool> done;
  server.thread.loop.Post([&] { server.server->Drain(20s, [&](size_t) { done.Put(true); }); });
  EXPECT_TRUE(idle.Ended());
  EXPECT_TRUE(later.Ended());
  EXPECT_FALSE(RawConnection(server.port()).connected());
  half.Send(request.substr(20));
  held.Take()();
  const auto half_reply = half.Receive();
  EXPECT_EQ(half_reply.body, "answered");
  EXPECT_THAT(half_reply.head, HasSubstr("Connection: close"));
  EXPECT_TRUE(done.empty());
  answer();
  const auto reply = handled.Receive();
  EXPECT_EQ(reply.body, "answered");
  EXPECT_THAT(reply.head, HasSubstr("Connection: close"));
  EXPECT_TRUE(handled.Ended());
  EXPECT_TRUE(done.Take());
}

TEST(ServerDrain, CutsWhatIsLeftAfterTheGrace) {
  Inbox<std::function<void()>> held;
  TestServer server({}, [&](const Request&, Respond respond) { held.Put([respond] { respond({}); }); });
  RawConnection connection(server.port());
  connection.Send(Post("never answered"));
  const auto late = held.Take();
  Inbox<size_t> done;
  server.thread.loop.Post([&] { server.server->Drain(10ms, [&](size_t cut) { done.Put(cut); }); });
  EXPECT_EQ(done.Take(), 1u);
  EXPECT_TRUE(connection.Ended());
  late();
  EXPECT_EQ(server.thread.Ask([&] { return server.server->connections(); }), 0U);
}

TEST(ServerDrain, EndsAtOnceWithoutConnectionsAndTheServerMayDieInIt) {
  TestServer server;
  Inbox<bool> done;
  server.thread.loop.Post([&] {
    server.server->Drain(20s, [&](size_t) {
      server.server.reset();
      done.Put(true);
    });
  });
  EXPECT_TRUE(done.Take());
}

TEST(ServerDrain, MayDieWithConnectionsAndAnswersPending) {
  std::vector<Respond> held;
  testing::LoopThread thread;
  Inbox<bool> inside;
  ServerOptions options;
  options.address = "127.0.0.1:0";
  auto server = Server::Start(thread.loop, options, [&](const Request&, Respond respond) {
    held.push_back(std::move(respond));
    inside.Put(true);
  });
  ASSERT_TRUE(server.ok());
  thread.Run();
  RawConnection connection((*server)->port());
  connection.Send(Post("x"));
  EXPECT_TRUE(inside.Take());
  thread.Ask([&] {
    server->reset();
    return true;
  });
  EXPECT_TRUE(connection.Ended());
  thread.Ask([&] {
    held.clear();
    return true;
  });
}

}  // namespace
}  // namespace huygens::net
