#include "net/event_loop.h"

#include <gmock/gmock.h>

#include <atomic>
#include <csignal>
#include <thread>

#include "tests/net/fixture.h"

namespace huygens::net {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;

TEST(EventLoop, RunsTasksOfOneThreadInOrderAndOnTheLoop) {
  testing::LoopThread thread;
  thread.Run();
  std::vector<int> order;  // touched on the loop only
  bool in_loop = true;
  for (int i = 0; i < 100; ++i) {
    thread.loop.Post([&, i] {
      order.push_back(i);
      in_loop = in_loop && thread.loop.InLoop();
    });
  }
  EXPECT_FALSE(thread.loop.InLoop());
  std::vector<int> expected(100);
  for (int i = 0; i < 100; ++i) expected[static_cast<size_t>(i)] = i;
  EXPECT_EQ(thread.Ask([&] { return order; }), expected);
  EXPECT_TRUE(thread.Ask([&] { return in_loop; }));
}

TEST(EventLoop, RunsEveryTaskOfManyThreadsOnce) {
  testing::LoopThread thread;
  thread.Run();
  int count = 0;
  std::vector<std::thread> posters;
  for (int i = 0; i < 8; ++i) {
    posters.emplace_back([&] {
      for (int k = 0; k < 500; ++k) thread.loop.Post([&count] { ++count; });
    });
  }
  for (auto& poster : posters) poster.join();
  EXPECT_EQ(thread.Ask([&] { return count; }), 8 * 500);
}

TEST(EventLoop, TasksMayOwnWhatCannotBeCopied) {
  EventLoop loop;
  int seen = 0;
  loop.Post([value = std::make_unique<int>(7), &seen] { seen = *value; });
  loop.Poll();
  EXPECT_EQ(seen, 7);
}

TEST(EventLoop, PollRunsWhatWasPostedSinceAPollThatFoundNothing) {
  EventLoop loop;
  EXPECT_EQ(loop.Poll(), 0u);
  int calls = 0;
  loop.Post([&] { ++calls; });
  EXPECT_EQ(loop.Poll(), 1u);
  loop.Post([&] {
    ++calls;
    loop.Stop();
  });
  loop.Run();
  EXPECT_EQ(calls, 2);
}

TEST(EventLoop, ServesTimersAndSocketsBetweenRoundsOfATaskThatPostsItself) {
  testing::TestServer server;
  std::atomic<bool> enough = false;
  std::function<void()> again = [&] {
    if (!enough) server.thread.loop.Post(again);
  };
  server.thread.loop.Post(again);
  testing::RawConnection connection(server.port());
  ASSERT_TRUE(connection.Send(testing::Post("ping")));
  EXPECT_EQ(connection.Receive().body, "ping");
  server.thread.Ask([&] {
    server.thread.loop.After(1ms, [&] { enough = true; }).Detach();
    return true;
  });
  testing::Inbox<bool> ended;
  std::function<void()> look = [&] { enough ? ended.Put(true) : server.thread.loop.Post(look); };
  server.thread.loop.Post(look);
  EXPECT_TRUE(ended.Take());
}

TEST(EventLoop, CallsTimersInOrderOfTime) {
  EventLoop loop;
  std::vector<int> order;
  const Timer late = loop.After(4ms, [&] {
    order.push_back(2);
    loop.Stop();
  });
  const Timer early = loop.After(1ms, [&] { order.push_back(1); });
  EXPECT_TRUE(late.pending());
  loop.Run();
  EXPECT_THAT(order, ElementsAre(1, 2));
  EXPECT_FALSE(late.pending());
}

TEST(EventLoop, DoesNotCallATimerThatWasCancelledDestroyedOrReplaced) {
  EventLoop loop;
  std::vector<int> order;
  Timer cancelled = loop.After(0ms, [&] { order.push_back(1); });
  cancelled.Cancel();
  {
    const Timer destroyed = loop.After(0ms, [&] { order.push_back(2); });
  }
  Timer replaced = loop.After(0ms, [&] { order.push_back(3); });
  replaced = loop.After(0ms, [&] { order.push_back(4); });
  loop.After(0ms, [&] { order.push_back(5); }).Detach();
  const Timer end = loop.After(2ms, [&] { loop.Stop(); });
  loop.Run();
  EXPECT_THAT(order, ElementsAre(4, 5));
}

TEST(EventLoop, LetsATimerReplaceItselfInItsOwnCall) {
  EventLoop loop;
  int calls = 0;
  Timer timer;
  std::function<void()> tick = [&] {
    if (++calls == 3) return loop.Stop();
    timer = loop.After(0ms, tick);
  };
  timer = loop.After(0ms, tick);
  loop.Run();
  EXPECT_EQ(calls, 3);
}

TEST(EventLoop, StopBeforeRunEndsThatRunAndNotTheNext) {
  EventLoop loop;
  int calls = 0;
  loop.Post([&] {
    ++calls;
    loop.Stop();
  });
  loop.Stop();
  loop.Run();
  EXPECT_EQ(calls, 0);
  loop.Run();
  EXPECT_EQ(calls, 1);
}

TEST(EventLoop, ReportsEachSignal) {
  EventLoop loop;
  int seen = 0;
  loop.OnSignal({SIGUSR1, SIGUSR2}, [&](int number) {
    seen = seen * 100 + number;
    number == SIGUSR1 ? static_cast<void>(std::raise(SIGUSR2)) : loop.Stop();
  });
  std::raise(SIGUSR1);
  loop.Run();
  EXPECT_EQ(seen, SIGUSR1 * 100 + SIGUSR2);
}

}  // namespace
}  // namespace huygens::net
