// Carries what a source measured from its thread to the one that owns the accounts and has it applied there, in slices
// between requests. A source that is faster than that waits, so that a week of history does not pile up in memory.
#pragma once

#include <functional>

#include "net/backpressure.h"
#include "net/event_loop.h"
#include "net/time_sliced_queue.h"
#include "usage/readings.h"

namespace huygens::usage_sources {

class ReadingsQueue {
 public:
  // Both are called on the loop's thread. `settle` does some microseconds of what is due when no readings wait, and
  // says whether there is more of it.
  ReadingsQueue(net::EventLoop& loop, std::function<void(const usage::Readings&)> apply, std::function<bool()> settle);

  // Any thread but the loop's, which would wait for itself.
  void Deliver(usage::Readings readings);
  // Whether all that was delivered is applied. Any thread.
  bool Empty() const { return backpressure_.taken() == 0; }
  // Any thread. Nobody waits any more, and what is delivered from now on is dropped: before a source is stopped.
  void Close() { backpressure_.Close(); }

 private:
  net::Backpressure backpressure_;  // in readings
  net::TimeSlicedQueue<usage::Readings> slices_;
};

}  // namespace huygens::usage_sources
