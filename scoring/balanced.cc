#include "scoring/balanced.h"

#include <algorithm>
#include <cmath>

#include "scoring/registry.h"

namespace huygens::scoring {

double Balanced::ScoreOf(std::span<const UsageShare> shares) const {
  double sum = 0;
  double weights = 0;
  for (const UsageShare& each : shares) {
    sum += each.weight * std::min(1.0, each.share);
    weights += each.weight;
  }
  const double mean = sum / weights;
  double squares = 0;
  for (const UsageShare& each : shares) {
    const double away = std::min(1.0, each.share) - mean;
    squares += each.weight * away * away;
  }
  return 1 - std::sqrt(squares / weights);
}

TermEntry BalancedEntry() {
  return {.name = "Balanced",
          .about = "how evenly resources would be used",
          .needs = {.usage = true},
          .weighs_resources = true,
          .make = [](const Sources& from) -> std::unique_ptr<Term> {
            return std::make_unique<Balanced>(*from.usage, from.weights);
          }};
}

}  // namespace huygens::scoring
