#include "rescheduling/freeze.h"

#include <optional>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "base/text.h"

namespace huygens::rescheduling {

namespace {

constexpr std::array<std::string_view, 7> kDays = {"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"};
constexpr int kDay = 24 * 60;

std::optional<size_t> DayOf(absl::string_view text) {
  for (size_t day = 0; day < kDays.size(); ++day) {
    if (ToStd(text) == kDays[day]) return day;
  }
  return std::nullopt;
}

bool ReadDays(absl::string_view text, std::array<bool, 7>& days) {
  if (text == "*") return days.fill(true), true;
  for (absl::string_view part : absl::StrSplit(text, ',')) {
    const std::vector<absl::string_view> ends = absl::StrSplit(part, '-');
    const auto first = DayOf(ends.front()), last = DayOf(ends.back());
    if (ends.size() > 2 || !first || !last) return false;
    for (size_t day = *first;; day = (day + 1) % days.size()) {  // "Sat-Mon" is three days
      days[day] = true;
      if (day == *last) break;
    }
  }
  return true;
}

std::optional<int> ReadMinutes(absl::string_view text) {
  const std::vector<absl::string_view> parts = absl::StrSplit(text, ':');
  int hours = 0, minutes = 0;
  if (parts.size() != 2 || parts[0].size() != 2 || parts[1].size() != 2 || !absl::SimpleAtoi(parts[0], &hours) ||
      !absl::SimpleAtoi(parts[1], &minutes) || hours < 0 || minutes < 0 || minutes > 59 ||
      hours * 60 + minutes > kDay) {
    return std::nullopt;
  }
  return hours * 60 + minutes;
}

}  // namespace

StatusOr<FreezeWindow> ParseFreezeWindow(std::string_view text) {
  const auto fault = [&](std::string_view what) {
    return Invalid(Concat("\"", text, "\": ", what, "; a window reads like \"Mon-Fri 09:00-21:00 Asia/Shanghai\""));
  };
  const std::vector<absl::string_view> words = absl::StrSplit(ToAbsl(text), ' ', absl::SkipEmpty());
  if (words.size() < 2 || words.size() > 3) return fault("it must have days, times and perhaps a time zone");
  FreezeWindow window;
  window.text = text;
  if (!ReadDays(words[0], window.days)) return fault("days are Mon, Tue, Wed, Thu, Fri, Sat, Sun or *");
  const std::vector<absl::string_view> times = absl::StrSplit(words[1], '-');
  const auto from = times.size() == 2 ? ReadMinutes(times[0]) : std::nullopt;
  const auto until = times.size() == 2 ? ReadMinutes(times[1]) : std::nullopt;
  if (!from || !until) return fault("times are HH:MM-HH:MM, up to 24:00");
  window.from = *from % kDay;
  window.until = *until;
  if (words.size() == 3 && !absl::LoadTimeZone(words[2], &window.zone)) {
    return fault(Concat("there is no time zone ", ToStd(words[2])));
  }
  return window;
}

bool IsFrozen(const FreezeWindow& window, Time now) {
  const absl::Time time = absl::FromUnixNanos(now.time_since_epoch().count());
  const absl::CivilMinute local = absl::ToCivilMinute(time, window.zone);
  const absl::CivilDay day(local);
  const int minute = local.hour() * 60 + local.minute();
  const auto begins_on = [&](absl::CivilDay on) { return window.days[static_cast<size_t>(absl::GetWeekday(on))]; };
  if (window.from < window.until) return begins_on(day) && minute >= window.from && minute < window.until;
  // It ends on the day after; equal times: after 24 hours.
  return (begins_on(day) && minute >= window.from) || (begins_on(day - 1) && minute < window.until);
}

}  // namespace huygens::rescheduling
