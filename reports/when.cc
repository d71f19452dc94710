#include "reports/when.h"

#include <chrono>

#include "base/text.h"

namespace huygens::reports {

std::string When(Time time, Time now) {
  const int64_t seconds = std::chrono::duration_cast<std::chrono::seconds>(now - time).count();
  std::string ago = seconds < 0        ? "in the future: the clocks differ"
                    : seconds < 120    ? Concat(std::to_string(seconds), "s ago")
                    : seconds < 7200   ? Concat(std::to_string(seconds / 60), "m ago")
                    : seconds < 172800 ? Concat(std::to_string(seconds / 3600), "h ago")
                                       : Concat(std::to_string(seconds / 86400), "d ago");
  return Concat(FormatRfc3339(time), " (", ago, ")");
}

}  // namespace huygens::reports
