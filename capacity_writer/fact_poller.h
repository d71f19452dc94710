// The thread that asks the sources of facts at intervals, while this instance leads: from the start of one round to the
// start of the next, whatever came of it. Answers are delivered on the loop's thread.
#pragma once

#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "base/time.h"
#include "base/waiter.h"
#include "capacity_writer/fact_source.h"
#include "net/event_loop.h"
#include "real_capacity/facts.h"

namespace huygens::capacity_writer {

class FactPoller {
 public:
  using Deliver = std::function<void(const std::vector<real_capacity::Answer>& answers)>;

  // Begins at once. `clock` and `loop` must outlive it; `deliver` is never called once it is gone.
  FactPoller(std::unique_ptr<FactSource> source, Duration interval, const Clock& clock, net::EventLoop& loop,
             Deliver deliver);
  // Ends what is under way, within milliseconds, and waits for the thread. The loop's thread.
  ~FactPoller();
  FactPoller(const FactPoller&) = delete;
  FactPoller& operator=(const FactPoller&) = delete;

 private:
  void Work();

  const std::unique_ptr<FactSource> source_;
  const Duration interval_;
  const Clock& clock_;
  net::EventLoop& loop_;
  const std::shared_ptr<const Deliver> deliver_;  // null only in what was posted before this was gone
  SteadyWaiter waiter_;
  std::thread thread_;
};

}  // namespace huygens::capacity_writer
