#include "recommend/buckets.h"

#include <algorithm>
#include <cmath>

namespace huygens::recommend {

namespace {

// base^exponent as Go's math.Pow computes it: by squaring the mantissa alone. std::pow differs in the last bit.
double PowerAsInGo(double base, size_t exponent) {
  int scale = 0;
  double result = 1;
  int base_scale = 0;
  double mantissa = std::frexp(base, &base_scale);
  for (size_t rest = exponent; rest != 0; rest >>= 1) {
    if (rest & 1) {
      result *= mantissa;
      scale += base_scale;
    }
    mantissa *= mantissa;
    base_scale *= 2;
    if (mantissa < 0.5) {
      mantissa += mantissa;
      --base_scale;
    }
  }
  return std::ldexp(result, scale);
}

bool IsPositive(double value) { return std::isfinite(value) && value > 0; }

}  // namespace

StatusOr<Buckets> Buckets::Exponential(double first, double ratio, double max) {
  if (!IsPositive(first) || !IsPositive(max) || !std::isfinite(ratio) || ratio <= 1) {
    return Invalid("buckets: first and max must be positive, and ratio above 1");
  }
  const double count = std::ceil(std::log(max * (ratio - 1) / first + 1) / std::log(ratio)) + 1;
  if (!(count <= static_cast<double>(kMost))) return Invalid("buckets: there would be more than 10000");
  std::vector<double> starts = {0};
  while (starts.size() < static_cast<size_t>(count)) {
    starts.push_back(first * (PowerAsInGo(ratio, starts.size()) - 1) / (ratio - 1));
  }
  return Buckets(first, ratio, max, std::move(starts));
}

StatusOr<Buckets> Buckets::Linear(double size, double max) {
  if (!IsPositive(size) || !IsPositive(max)) return Invalid("buckets: their size and max must be positive");
  const double count = std::ceil(max / size) + 1;
  if (!(count <= static_cast<double>(kMost))) return Invalid("buckets: there would be more than 10000");
  std::vector<double> starts;
  while (starts.size() < static_cast<size_t>(count)) starts.push_back(static_cast<double>(starts.size()) * size);
  return Buckets(size, 1, max, std::move(starts));
}

Buckets Buckets::Cpu() { return *Exponential(0.01, 1.05, 1000); }
Buckets Buckets::Memory() { return *Exponential(1e7, 1.05, 1e12); }

size_t Buckets::Find(double value) const {
  const auto above = std::upper_bound(starts_.begin() + 1, starts_.end(), value);
  return static_cast<size_t>(above - starts_.begin()) - 1;
}

}  // namespace huygens::recommend
