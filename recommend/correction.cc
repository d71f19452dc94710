#include "recommend/correction.h"

#include <algorithm>
#include <cmath>

namespace huygens::recommend {

namespace {

using Wide = __int128;

// So that 10.000000000000002 stays 10. As large a share of the largest amounts, 10^12 bytes, is less than one byte.
constexpr double kRoundingError = 1e-13;

// amount * numerator / denominator, rounded up to the step.
int64_t RoundedShare(int64_t amount, int64_t numerator, int64_t denominator, int64_t step) {
  const Wide divisor = Wide{denominator} * step;
  return static_cast<int64_t>((Wide{amount} * numerator + divisor - 1) / divisor * step);
}

int64_t Bounded(int64_t amount, int64_t floor, int64_t original) { return std::min(original, std::max(floor, amount)); }

}  // namespace

int64_t Correct(double model, int64_t factor_millionths, const Rounding& rounding, int64_t original) {
  const double wanted = model * static_cast<double>(factor_millionths) / kOne;
  if (!(wanted < static_cast<double>(original))) return original;
  const double steps = std::ceil(wanted / static_cast<double>(rounding.step) * (1 - kRoundingError));
  return Bounded(static_cast<int64_t>(std::max(steps, 0.0)) * rounding.step, rounding.floor, original);
}

int64_t Lower(int64_t original, int64_t factor_millionths, const Rounding& rounding) {
  if (factor_millionths >= kOne) return original;
  return Bounded(RoundedShare(original, factor_millionths, kOne, rounding.step), rounding.floor, original);
}

std::vector<std::optional<int64_t>> Split(int64_t pod, std::span<const std::optional<int64_t>> originals,
                                          const Rounding& rounding) {
  int64_t sum = 0;
  for (const std::optional<int64_t>& original : originals) sum += original.value_or(0);
  std::vector<std::optional<int64_t>> amounts(originals.begin(), originals.end());
  if (pod >= sum) return amounts;
  for (std::optional<int64_t>& amount : amounts) {
    if (amount) amount = Bounded(RoundedShare(pod, *amount, sum, rounding.step), rounding.floor, *amount);
  }
  return amounts;
}

}  // namespace huygens::recommend
