// Wall-clock time. Deciding code takes a Time as an argument; only the edges hold a Clock.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "base/status.h"

namespace huygens {

using Time = std::chrono::sys_time<std::chrono::nanoseconds>;
using Duration = std::chrono::nanoseconds;

class Clock {
 public:
  virtual ~Clock() = default;
  virtual Time Now() const = 0;
};

class SystemClock final : public Clock {
 public:
  Time Now() const override;
};

// RFC 3339 as Kubernetes writes it: "2026-11-21T11:36:17Z", with optional fraction and numeric offset.
StatusOr<Time> ParseRfc3339(std::string_view text);
// UTC with seconds ("2026-11-21T11:36:17Z"), or with microseconds as MicroTime wants it.
std::string FormatRfc3339(Time time);
std::string FormatRfc3339Micro(Time time);

// Go's duration text: "1.5h", "1h30m", "250ms", "180s"; also "7d". Units ns, us, ms, s, m, h, d.
StatusOr<Duration> ParseDuration(std::string_view text);

}  // namespace huygens
