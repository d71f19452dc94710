#include "tests/simulation/shrink.h"

#include <algorithm>
#include <utility>

namespace huygens::simulation {
namespace {

// What did not hold, without names and figures: another fault is another history.
std::string KindOf(const std::string& why) {
  std::string letters;
  for (const char c : why.substr(0, 80)) {
    if (c >= 'a' && c <= 'z') letters += c;
  }
  return letters.substr(0, 30);
}

}  // namespace

Plan Shrink(Plan plan, const Play& play, int most_plays) {
  int plays = 1;
  const std::string kind = KindOf(play(plan));
  const auto take = [&](Plan next) {
    if (++plays > most_plays || KindOf(play(next)) != kind) return false;
    plan = std::move(next);
    return true;
  };
  const auto without = [&](auto change) {
    Plan next = plan;
    change(next.settings);
    take(std::move(next));
  };
  without([](Settings& settings) { settings.calls = {}; });
  without([](Settings& settings) { settings.requests = {}; });
  without([](Settings& settings) { settings.lag = {}; });
  without([](Settings& settings) { settings.clock_offset = {}; });
  without([](Settings& settings) { settings.extender = false; });
  without([](Settings& settings) { settings.models = false; });
  bool shorter = true;
  while (shorter && plays < most_plays) {
    shorter = false;
    for (size_t size = std::max<size_t>(plan.operations.size() / 2, 1); size > 0; size /= 2) {
      for (size_t begin = 0; begin < plan.operations.size();) {
        Plan next = plan;
        const auto first = next.operations.begin() + static_cast<std::ptrdiff_t>(begin);
        next.operations.erase(first,
                              first + static_cast<std::ptrdiff_t>(std::min(size, next.operations.size() - begin)));
        if (take(std::move(next))) {
          shorter = true;
        } else {
          begin += size;
        }
      }
    }
  }
  return plan;
}

}  // namespace huygens::simulation
