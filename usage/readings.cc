#include "usage/readings.h"

namespace huygens::usage {

int64_t SlotAt(Time time, Duration slot) {
  const Duration since = time.time_since_epoch();
  const int64_t whole = since / slot;
  return since % slot < Duration::zero() ? whole - 1 : whole;
}

}  // namespace huygens::usage
