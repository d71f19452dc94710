// The thread that asks a Source at intervals: every `interval` from the start of one refresh to the start of the next;
// at once while the source has more history to deliver; after a failure, or where the source cannot be asked yet, with
// pauses that grow from one second to a minute.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <thread>

#include "base/backoff.h"
#include "base/status.h"
#include "base/time.h"
#include "base/waiter.h"
#include "usage_sources/source.h"

namespace huygens::usage_sources {

// How one refresh went.
struct PollReport {
  Status status;
  Time at;  // when it began
  Duration took{};
  Progress progress;  // if ok
};

class Poller {
 public:
  // `clock` tells the source the time, `waiter` measures the interval. `report` is called on the poller's thread,
  // `deliver` on whatever threads the source refreshes by, one at a time. Does nothing until Start.
  Poller(std::unique_ptr<Source> source, Duration interval, const Clock& clock, std::unique_ptr<Waiter> waiter,
         Random random, Deliver deliver, std::function<void(PollReport)> report);
  ~Poller();
  Poller(const Poller&) = delete;
  Poller& operator=(const Poller&) = delete;

  // Once.
  void Start();
  // Ends what is under way, within milliseconds, and waits for the thread. A `deliver` that blocks must have been let
  // go before. Any thread but the poller's own.
  void Stop();

 private:
  void Loop();
  // How long to wait before the next refresh.
  Duration Refresh();

  const std::unique_ptr<Source> source_;
  const Duration interval_;
  const Clock& clock_;
  const std::unique_ptr<Waiter> waiter_;
  const Deliver deliver_;
  const std::function<void(PollReport)> report_;
  Backoff backoff_;
  std::thread thread_;
};

}  // namespace huygens::usage_sources
