#include "admin/shutdown.h"

#include <gmock/gmock.h>

#include "tests/net/fixture.h"

namespace huygens::admin {
namespace {

using namespace std::chrono_literals;
using net::testing::Inbox;
using net::testing::Post;
using net::testing::RawConnection;
using net::testing::TestServer;
using testing::HasSubstr;

class ShutdownTest : public testing::Test {
 protected:
  void Make(Duration lame_duck, Duration grace) {
    server_.thread.Ask([&] {
      shutdown_ = std::make_unique<Shutdown>(server_.thread.loop, *server_.server, lame_duck, grace);
      return true;
    });
  }
  void Begin() {
    server_.thread.Ask([&] {
      shutdown_->Begin([this](size_t cut) { done_.Put(cut); });
      return true;
    });
  }
  void TearDown() override { server_.thread.Join(); }

  // Of what says "hold", until the test answers it.
  Inbox<std::function<void()>> held_;
  TestServer server_{{}, [this](const net::Request& request, net::Respond respond) {
                       if (request.body != "hold") return TestServer::Echo(request, respond);
                       held_.Put([respond] { respond({200, "text/plain", "held"}); });
                     }};
  Inbox<size_t> done_;
  std::unique_ptr<Shutdown> shutdown_;
};

TEST_F(ShutdownTest, NewConnectionsAreServedUntilTheLameDuckEndsAndRequestsUnderWayAreFinished) {
  RawConnection idle(server_.port()), handled(server_.port());
  idle.Send(Post("1"));
  EXPECT_THAT(idle.Receive().head, HasSubstr("Connection: keep-alive"));
  handled.Send(Post("hold"));
  const auto answer = held_.Take();
  Make(1h, 2h);
  Begin();
  EXPECT_TRUE(server_.thread.Ask([&] { return shutdown_->lame_duck(); }));
  RawConnection later(server_.port());
  later.Send(Post("2"));
  const auto reply = later.Receive();
  EXPECT_EQ(reply.body, "2");
  EXPECT_THAT(reply.head, HasSubstr("Connection: close"));
  EXPECT_TRUE(done_.empty());

  server_.thread.Ask([&] {
    shutdown_->EndLameDuck();
    return true;
  });
  EXPECT_TRUE(idle.Ended());
  EXPECT_FALSE(RawConnection(server_.port()).connected());
  EXPECT_TRUE(done_.empty()) << "a request is under way";
  answer();
  EXPECT_EQ(handled.Receive().body, "held");
  EXPECT_EQ(done_.Take(), 0U);
  EXPECT_FALSE(server_.thread.Ask([&] { return shutdown_->lame_duck(); }));
}

TEST_F(ShutdownTest, TheLameDuckEndsByItself) {
  Make(1ms, 1h);
  Begin();
  EXPECT_EQ(done_.Take(), 0U);
  EXPECT_FALSE(RawConnection(server_.port()).connected());
}

TEST_F(ShutdownTest, WithoutLameDuckItStopsAcceptingAtOnceAndTheGraceEndsAllTheSame) {
  RawConnection handled(server_.port());
  handled.Send(Post("hold"));
  const auto answer = held_.Take();
  Make(0s, 10ms);
  Begin();
  EXPECT_FALSE(RawConnection(server_.port()).connected());
  EXPECT_EQ(done_.Take(), 1U);
}

}  // namespace
}  // namespace huygens::admin
