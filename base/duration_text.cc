#include "base/duration_text.h"

#include <cstdint>
#include <string_view>

#include "base/text.h"

namespace huygens {

namespace {
int64_t WholeSeconds(Duration duration) { return std::chrono::duration_cast<std::chrono::seconds>(duration).count(); }
}  // namespace

std::string DurationText(Duration duration) {
  struct Unit {
    int64_t nanos;
    std::string_view name;
  };
  constexpr Unit kUnits[] = {{86'400'000'000'000, "d"}, {3'600'000'000'000, "h"}, {60'000'000'000, "m"},
                             {1'000'000'000, "s"},      {1'000'000, "ms"},        {1'000, "us"}};
  int64_t nanos = duration.count();
  for (const Unit& unit : kUnits) {
    // Seconds up to three minutes, as people write them.
    if (nanos % unit.nanos != 0 || (unit.name == "m" && nanos > unit.nanos && nanos <= 180'000'000'000)) continue;
    return nanos == 0 ? "0s" : Concat(std::to_string(nanos / unit.nanos), unit.name);
  }
  return Concat(std::to_string(nanos), "ns");
}

std::string SecondsText(Duration duration) { return Concat(std::to_string(WholeSeconds(duration)), " s"); }

std::string AgeText(Duration age) {
  const int64_t seconds = WholeSeconds(age), minutes = seconds / 60, hours = minutes / 60;
  if (seconds < 120) return Concat(std::to_string(seconds), "s");
  if (minutes < 120) return Concat(std::to_string(minutes), "m");
  if (hours >= 48) return Concat(std::to_string(hours / 24), "d");
  const int64_t rest = minutes % 60;
  return Concat(std::to_string(hours), "h", rest == 0 ? std::string() : Concat(" ", std::to_string(rest), "m"));
}

}  // namespace huygens
