#include "usage/readings.h"

#include <algorithm>

#include "usage/curve.h"

namespace huygens::usage {

int64_t SlotAt(Time time, Duration slot) {
  const Duration since = time.time_since_epoch();
  const int64_t whole = since / slot;
  return since % slot < Duration::zero() ? whole - 1 : whole;
}

int64_t OldestSlot(Time now, const Options& options) {
  const int64_t measured = SlotAt(now - options.stale_after, options.slot);
  const int64_t open = SlotAt(now, options.slot);
  // A source may be ahead by a slot, and what it brings back then must not look like a clock that went back.
  const int64_t first = std::max(std::min(measured + 1, open), open - BeyondWindow(options.slots) + 2);
  return first - static_cast<int64_t>(options.slots);
}

}  // namespace huygens::usage
