#include "kube/call_pool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tests/fake/api_server.h"

namespace huygens::kube {
namespace {

using std::chrono::seconds;

TEST(CallPool, DoesTheRestOnTheLoopsThread) {
  fake::ApiServer server;
  net::EventLoop loop;
  CallPool pool(loop);
  ASSERT_TRUE(pool.Start(server.Options(), 2).ok());
  int left = 10;
  int found = 0;
  for (int i = left; i > 0; --i) {
    pool.Post([&](net::Client& client) -> CallPool::Then {
      EXPECT_FALSE(loop.InLoop());
      const auto reply = client.Call("GET", fake::kNodes, "", {}, seconds(20));
      return [&, ok = reply.ok() && reply->code == 200] {
        EXPECT_TRUE(loop.InLoop());
        found += ok ? 1 : 0;
        if (--left == 0) loop.Stop();
      };
    });
  }
  loop.Run();
  EXPECT_EQ(found, 10);
}

// So that they find the connection of the one before.
TEST(CallPool, CallsInARowAreMadeByTheSameThread) {
  fake::ApiServer server;
  net::EventLoop loop;
  CallPool pool(loop);
  ASSERT_TRUE(pool.Start(server.Options(), 4).ok());
  std::vector<std::thread::id> threads;
  std::function<void()> next = [&] {
    pool.Post([&](net::Client&) -> CallPool::Then {
      return [&, thread = std::this_thread::get_id()] {
        threads.push_back(thread);
        threads.size() == 20 ? loop.Stop() : next();
      };
    });
  };
  next();
  loop.Run();
  EXPECT_EQ(std::count(threads.begin(), threads.end(), threads.front()), 20);
}

TEST(CallPool, EndsWhatIsUnderWayAndDoesNothingMore) {
  fake::ApiServer server;
  const auto gate = std::make_shared<fake::Gate>();
  server.Inject({.what = fake::Fault::What::kHold, .path = "nodes", .gate = gate});
  net::EventLoop loop;
  bool done = false;
  {
    CallPool pool(loop);
    ASSERT_TRUE(pool.Start(server.Options(), 1).ok());
    for (int i = 0; i < 2; ++i) {
      pool.Post([&](net::Client& client) -> CallPool::Then {
        (void)client.Call("GET", fake::kNodes, "", {}, seconds(60));
        return [&] { done = true; };
      });
    }
    ASSERT_TRUE(gate->AwaitArrival());
    pool.Stop();
    pool.Post([&](net::Client&) -> CallPool::Then { return [&] { done = true; }; });
  }
  gate->Open();
  loop.Poll();
  EXPECT_FALSE(done);
}

}  // namespace
}  // namespace huygens::kube
