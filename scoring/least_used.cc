#include "scoring/least_used.h"

#include <algorithm>

#include "scoring/registry.h"

namespace huygens::scoring {

double LeastUsed::ScoreOf(std::span<const UsageShare> shares) const {
  double highest = 0;
  double sum = 0;
  double weights = 0;
  for (const UsageShare& each : shares) {
    highest = std::max(highest, each.share);
    sum += each.weight * std::max(0.0, 1 - each.share);
    weights += each.weight;
  }
  return form_ == LeastUsedForm::kDominant ? std::max(0.0, 1 - highest) : sum / weights;
}

TermEntry LeastUsedEntry() {
  return {.name = "LeastUsed",
          .about = "peak against capacity",
          .needs = {.usage = true},
          .weighs_resources = true,
          .has_dominant_form = true,
          .make = [](const Sources& from) -> std::unique_ptr<Term> {
            return std::make_unique<LeastUsed>(*from.usage, from.weights,
                                               from.dominant ? LeastUsedForm::kDominant : LeastUsedForm::kMean);
          }};
}

}  // namespace huygens::scoring
