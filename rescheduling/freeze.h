// Windows of the week in which nothing is moved: "Mon-Fri 09:00-21:00 Asia/Shanghai". Days are those on which a window
// begins; one that ends before it begins ends on the next day; local time, so that summer time is followed.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "absl/time/time.h"
#include "base/status.h"
#include "base/time.h"

namespace huygens::rescheduling {

struct FreezeWindow {
  std::array<bool, 7> days{};  // Monday first
  int from = 0, until = 0;     // minutes since midnight; equal: the whole day
  absl::TimeZone zone = absl::UTCTimeZone();
  std::string text;  // as it was written
};

// "DAYS FROM-UNTIL [ZONE]": DAYS is "*", "Sat", "Mon-Fri" or "Mon,Wed-Thu"; times are HH:MM up to 24:00; ZONE is a name
// of the IANA database, UTC where none is given. Errors say which part is wrong.
StatusOr<FreezeWindow> ParseFreezeWindow(std::string_view text);

bool IsFrozen(const FreezeWindow& window, Time now);

}  // namespace huygens::rescheduling
