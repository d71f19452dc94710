// Calls to the API server that only the leader may make: none begins when this instance does not lead any more, none
// lasts longer than it is sure to lead, and when it ends to lead none is under way. The loop's thread.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "base/status.h"
#include "base/time.h"
#include "kube/call_pool.h"
#include "net/client.h"
#include "net/event_loop.h"

namespace huygens::reconcile {

class LeaderCalls {
 public:
  // On a thread of its own; `longest` is what the call may take. What it returns is done on the loop's thread.
  using Call = std::function<kube::CallPool::Then(net::Client& client, Duration longest)>;

  // `loop` must outlive it. `threads`: so many calls at once.
  LeaderCalls(net::EventLoop& loop, net::ClientOptions api_server, size_t threads)
      : loop_(loop), api_server_(std::move(api_server)), threads_(threads) {}

  // `left`: how long this instance is sure to lead, for any thread. Fails if the client options are not usable.
  Status Begin(std::function<Duration()> left);
  // What was posted and has not returned on the loop is forgotten.
  void End();
  // Nothing while this instance does not lead.
  void Post(Call call);
  bool leads() const { return pool_ != nullptr; }

 private:
  net::EventLoop& loop_;
  const net::ClientOptions api_server_;
  const size_t threads_;
  std::function<Duration()> left_;
  std::unique_ptr<kube::CallPool> pool_;  // null: does not lead
};

}  // namespace huygens::reconcile
