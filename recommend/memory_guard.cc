#include "recommend/memory_guard.h"

#include <algorithm>

namespace huygens::recommend {

namespace {

constexpr int64_t kOomBump = 100 << 20;

int64_t DayOf(Time time) { return std::chrono::floor<std::chrono::days>(time).time_since_epoch().count(); }

}  // namespace

// Null where a younger day is kept there.
MemoryGuard::Day* MemoryGuard::At(Time time) {
  const int64_t number = DayOf(time);
  if (number < 0) return nullptr;
  Day& day = days_[static_cast<size_t>(number) % kDays];
  if (day.number > number) return nullptr;
  if (day.number < number) day = {number, 0, 0};
  return &day;
}

void MemoryGuard::AddUse(int64_t bytes, Time time) {
  if (Day* day = At(time)) day->peak = std::max(day->peak, std::min(bytes, kMostBytes));
}

void MemoryGuard::AddOomKill(int64_t bytes, Time time) {
  const int64_t used = std::clamp<int64_t>(bytes, 0, kMostBytes);
  if (Day* day = At(time)) day->oom = std::max({day->oom, used + kOomBump, used + used / 5});
}

int64_t MemoryGuard::Least(Time now) const {
  const int64_t today = DayOf(now);
  int64_t least = 0;
  for (const Day& day : days_) {
    if (day.number + static_cast<int64_t>(kDays) <= today) continue;
    least = std::max({least, day.peak + day.peak / 20, day.oom});
  }
  return least;
}

}  // namespace huygens::recommend
