// Carries what a source measured from its thread to the decision thread and has it applied there, in slices between
// requests. A source that is faster than that waits, so that a week of history does not pile up in memory.
#pragma once

#include "extender/context.h"
#include "net/backpressure.h"
#include "net/event_loop.h"
#include "net/time_sliced_queue.h"
#include "usage/readings.h"

namespace huygens::extender {

class UsageInbox {
 public:
  UsageInbox(Context& context, net::EventLoop& loop);

  // Any thread but the decision thread, which would wait for itself; there is Placement::ApplyUsage.
  void Deliver(usage::Readings readings);
  // Whether all that was delivered is applied. Any thread.
  bool Empty() const { return backpressure_.taken() == 0; }
  // Any thread. Nobody waits any more, and what is delivered from now on is dropped: before a source is stopped.
  void Close() { backpressure_.Close(); }

 private:
  void Apply(const usage::Readings& readings);

  Context& context_;
  net::Backpressure backpressure_;  // in readings
  net::TimeSlicedQueue<usage::Readings> slices_;
};

}  // namespace huygens::extender
