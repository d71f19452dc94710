// Threads for blocking calls to the API server, with a client each, and the way back to the loop's thread: for services
// whose work is on one thread that must not block. Calls begin in the order in which they were posted, each on the idle
// thread that made one last: where there are few calls they share a connection, which stays open between them.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "base/status.h"
#include "net/client.h"
#include "net/event_loop.h"

namespace huygens::kube {

class CallPool {
 public:
  // What is to be done on the loop's thread when the call is over.
  using Then = std::function<void()>;
  // On a thread of the pool.
  using Call = std::function<Then(net::Client& client)>;

  // `loop` must outlive it.
  explicit CallPool(net::EventLoop& loop) : loop_(loop) {}
  ~CallPool() { Stop(); }
  CallPool(const CallPool&) = delete;
  CallPool& operator=(const CallPool&) = delete;

  // Once. Fails if the client options are not usable.
  Status Start(const net::ClientOptions& api_server, size_t threads);
  // Any thread. After Stop, or where that comes first, nothing happens.
  void Post(Call call);
  // Ends what is under way within milliseconds and waits for the threads; nothing is done on the loop any more. The
  // loop's thread.
  void Stop();

 private:
  struct Worker {
    std::unique_ptr<net::Client> client;
    std::thread thread;
    std::condition_variable given;
    Call call;  // given to it while it was idle
  };

  void Work(Worker& worker);
  // Nothing: the pool stops. `then` is done on the loop once others may find the thread idle.
  Call Next(Worker& worker, Then then);

  net::EventLoop& loop_;
  std::deque<Worker> workers_;
  std::mutex mutex_;           // guards what follows, and Worker::call
  std::vector<Worker*> idle_;  // the last is who worked last
  std::deque<Call> calls_;     // while none is
  bool stopping_ = false;
  const std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // the loop's thread alone
};

}  // namespace huygens::kube
