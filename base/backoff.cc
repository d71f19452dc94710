#include "base/backoff.h"

#include <algorithm>
#include <memory>
#include <random>
#include <utility>

namespace huygens {

Random SystemRandom() {
  auto engine = std::make_shared<std::mt19937_64>(std::random_device{}());
  return [engine] { return std::uniform_real_distribution<double>(0, 1)(*engine); };
}

Backoff::Backoff(Duration first, Duration most, Random random)
    : first_(first), most_(most), next_(first), random_(std::move(random)) {}

Duration Backoff::Next() {
  const auto half = next_ / 2;
  const Duration result = half + Duration(static_cast<int64_t>(random_() * static_cast<double>(half.count())));
  next_ = std::min(most_, next_ * 2);
  return result;
}

}  // namespace huygens
