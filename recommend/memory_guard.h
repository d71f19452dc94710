// What a pod's memory is not lowered below, whatever a percentile says: P99 does not see a spike that comes once a day
// and lasts some ten minutes. It is the highest use of the last seven days and a little more, and after an OOM kill in
// that time what VPA would add: 100 MiB or a fifth. Amounts in bytes, of all of the pod's containers. Pure; not
// thread-safe.
#pragma once

#include <array>
#include <cstdint>

#include "base/time.h"

namespace huygens::recommend {

class MemoryGuard {
 public:
  static constexpr size_t kDays = 8;  // seven whole days and the present one, in UTC

  static constexpr int64_t kMostBytes = int64_t{1} << 50;  // more is taken for this

  // The highest of each day; an entry that is of another day is replaced by a younger one.
  struct Day {
    int64_t number = 0;  // since 1970
    int64_t peak = 0;    // as measured
    int64_t oom = 0;     // as an OOM kill asks for
    friend bool operator==(const Day&, const Day&) = default;
  };

  void AddUse(int64_t bytes, Time time);
  // A pod was killed when it used, or asked for, so much.
  void AddOomKill(int64_t bytes, Time time);

  // 0 if nothing was seen in the last seven days.
  int64_t Least(Time now) const;

  const std::array<Day, kDays>& days() const { return days_; }
  void Restore(const std::array<Day, kDays>& days) { days_ = days; }

 private:
  Day* At(Time time);

  std::array<Day, kDays> days_{};
};

}  // namespace huygens::recommend
