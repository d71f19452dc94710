// Leader election over a Lease, for duties that only one instance of a service may have at a time. As client-go's
// tools/leaderelection, with the duties on the thread of an EventLoop: they are begun and ended there, and a timer of
// that loop ends them before the time of the Lease is over, whatever the thread that renews it waits for. After that
// it goes on trying, and begins them anew when it has the Lease again.
//
// The thread renews at a third of the Lease's duration, tries again after a twentieth where that fails, and after
// `retry` where another instance leads. What duties send from other threads must be done within Left().
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

#include "base/status.h"
#include "base/time.h"
#include "base/waiter.h"
#include "kube/lease.h"
#include "net/client.h"
#include "net/event_loop.h"

namespace huygens::kube {

class LeaderElection {
 public:
  struct Options {
    LeaseOptions lease;
    Duration retry = std::chrono::seconds(2);
    Duration end_before = std::chrono::seconds(2);  // duties end so long before the Lease does; they may take as long
  };
  // Called on the loop's thread, in turns.
  struct Duties {
    // `term`: another one means that another instance may have led in between.
    std::function<void(uint64_t term)> begin;
    // When it returns nothing of them is under way in other threads: Stop gives the Lease up right after it.
    std::function<void(std::string_view why)> end;
  };

  // `loop` and `clock` must outlive it.
  LeaderElection(std::unique_ptr<net::Client> client, std::unique_ptr<Waiter> waiter, const Clock& clock,
                 net::EventLoop& loop, Options options, Duties duties);
  ~LeaderElection() { Stop(); }
  LeaderElection(const LeaderElection&) = delete;
  LeaderElection& operator=(const LeaderElection&) = delete;

  void Start();
  // Ends the duties, gives the Lease up so that another instance need not wait for its end, and waits for the thread:
  // at most some calls' time-outs. The loop's thread.
  void Stop();

  // The loop's thread.
  bool leading() const { return leading_; }
  // What stands in the way, for the operator: "held by a_1234", or what the API server said to the last renewal. Empty
  // when nothing does, or before the first answer.
  const std::string& trouble() const { return trouble_; }
  // How long this instance is still the only one that may lead; zero: it does not. Any thread.
  Duration Left() const;

 private:
  // What the thread found.
  struct View {
    uint64_t term = 0;
    std::string trouble;
  };

  void Loop();
  // Tries to have the Lease and returns how long there is nothing to do.
  Duration Step();
  // The loop's thread.
  void Take(View view);
  void End(std::string_view why);

  const Options options_;
  const std::unique_ptr<net::Client> client_;
  const std::unique_ptr<Waiter> waiter_;
  net::EventLoop& loop_;
  const Duties duties_;
  std::thread thread_;
  Lease lease_;                           // of the thread alone
  std::atomic<Duration> held_until_{{}};  // by waiter_

  // The loop's thread.
  bool leading_ = false;
  uint64_t term_ = 0;
  std::string trouble_;
  net::Timer end_;
  const std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace huygens::kube
