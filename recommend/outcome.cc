#include "recommend/outcome.h"

#include <algorithm>

namespace huygens::recommend {

void Outcome::Add(double request, std::span<const double> used) {
  if (used.empty()) return;
  size_t above = 0;
  double peak = 0;
  for (const double each : used) {
    used_ += each;
    slack_ += std::max(0.0, request - each);
    deficit_ += std::max(0.0, each - request);
    if (each > request * (1 + 1e-9)) ++above;
    peak = std::max(peak, each);
  }
  const double share = static_cast<double>(above) / static_cast<double>(used.size());
  ++series_;
  exceeded_ += share;
  hit_ += share > 0.05;
  short_peaks_ += peak > 2 * request;
  requested_ += request;
  peaks_ += peak;
}

}  // namespace huygens::recommend
