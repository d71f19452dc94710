// Follows what becomes of containers, and tells an EventSink on a thread of its own: by the best that the runtime has.
//
// * CRI's events: containerd from 2.0, CRI-O. containerd 1.7 has them, too, but hands each to one reader only: an agent
//   would take them from kubelet.
// * containerd's own events, of any 1.x: a task's start and exit. Of creations nothing is told there: an update then was
//   always too late for the start (8 of 8 with 1.6.20), and delays it.
// * Lists, compared every `poll_period`: any other runtime.
//
// When the runtime goes away, the thread tries again with a back-off, and asks anew what it is.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/backoff.h"
#include "base/status.h"
#include "base/time.h"
#include "base/waiter.h"
#include "runtime/container_runtime.h"
#include "runtime/cri_runtime.h"

namespace runtime::v1 {
class ContainerEventResponse;
}
namespace containerd::services::events::v1 {
class Envelope;
}

namespace huygens::runtime {

struct FollowOptions {
  Duration resync_period = std::chrono::seconds(10);
  Duration poll_period = std::chrono::seconds(1);
  Duration first_retry = std::chrono::milliseconds(50);  // after a loss; doubles
  Duration last_retry = std::chrono::seconds(1);
};

class EventFollower {
 public:
  // Begins at once. `runtime` and `sink` must outlive it; `waiter` waits between polls and retries.
  EventFollower(FollowOptions options, CriRuntime& runtime, EventSink& sink, std::unique_ptr<Waiter> waiter,
                Random random);
  // When it returns, `sink` is called no more. Waits for the call of `sink` that is under way.
  ~EventFollower();
  EventFollower(const EventFollower&) = delete;
  EventFollower& operator=(const EventFollower&) = delete;

 private:
  // A container of which something was told before it could be asked about.
  struct Pending {
    std::string id;
    bool started = false;  // else created
    int tries = 0;
  };

  void Run();
  Status Follow();  // until the runtime goes away
  Status FollowCriEvents();
  Status FollowContainerdEvents();
  Status FollowLists();
  // `how` is for people; `prepare` begins the call.
  template <typename Received>
  Status FollowStream(std::string_view how, std::string call, const auto& prepare);
  void Handle(const ::runtime::v1::ContainerEventResponse& event);
  void Handle(const ::containerd::services::events::v1::Envelope& event);
  void Resync(std::string_view why);
  void Tell(Pending what);  // now if it can be asked about, else with the pending ones
  bool TryTell(Pending& what);
  void TellPending();
  void TellStopped(std::string_view id);
  void Connected(std::string_view how);

  const FollowOptions options_;
  CriRuntime& runtime_;
  EventSink& sink_;
  std::unique_ptr<Waiter> waiter_;
  Backoff backoff_;
  std::string version_;  // for people
  std::string told_;     // the last that OnConnection was told
  bool connected_ = false;
  Duration next_resync_{};
  std::vector<Pending> pending_;
  std::mutex mutex_;
  std::function<void()> cancel_;  // ends the wait for events
  std::thread thread_;            // the last: it uses the others
};

}  // namespace huygens::runtime
