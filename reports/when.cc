#include "reports/when.h"

#include <chrono>

#include "base/duration_text.h"
#include "base/text.h"

namespace huygens::reports {

std::string When(Time time, Time now) {
  const bool differs = now - time <= std::chrono::seconds(-1);
  return Concat(FormatRfc3339(time), " (",
                differs ? std::string("in the future: the clocks differ") : Concat(AgeText(now - time), " ago"), ")");
}

}  // namespace huygens::reports
