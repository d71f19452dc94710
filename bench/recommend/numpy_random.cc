#include "bench/recommend/numpy_random.h"

#include <cmath>

namespace huygens::recommend {

namespace {

// numpy.random.SeedSequence for a seed of 32 bits.
std::array<uint64_t, 4> StateOf(uint32_t seed) {
  std::array<uint32_t, 4> pool{};
  uint32_t constant = 0x43b0d7e5;
  const auto hashed = [&](uint32_t value) {
    value ^= constant;
    constant *= 0x931e8875;
    value *= constant;
    return value ^ (value >> 16);
  };
  for (size_t i = 0; i < pool.size(); ++i) pool[i] = hashed(i == 0 ? seed : 0);
  for (size_t from = 0; from < pool.size(); ++from) {
    for (size_t to = 0; to < pool.size(); ++to) {
      if (from == to) continue;
      const uint32_t mixed = 0xca01f9ddU * pool[to] - 0x4973f715U * hashed(pool[from]);
      pool[to] = mixed ^ (mixed >> 16);
    }
  }
  constant = 0x8b51f9dd;
  std::array<uint64_t, 4> state{};
  for (size_t i = 0; i < 8; ++i) {
    uint32_t value = pool[i % 4] ^ constant;
    constant *= 0x58f38ded;
    value *= constant;
    value ^= value >> 16;
    state[i / 2] |= uint64_t{value} << (32 * (i % 2));
  }
  return state;
}

// The 256 layers of the ziggurat of the normal distribution.
struct Ziggurat {
  static constexpr double kEdge = 3.6541528853610087963519472518;
  static constexpr double kArea = 0.00492867323397465524494;  // of each layer, as of exp(-x^2 / 2)

  Ziggurat() {
    const auto density = [](double x) { return std::exp(-0.5 * x * x); };
    constexpr double kUnit = 4503599627370496.0;  // 2^52
    double x = kEdge, above = kEdge;
    const double base = kArea / density(kEdge);
    bound[0] = static_cast<uint64_t>(x / base * kUnit);
    bound[1] = 0;
    width[0] = base / kUnit;
    width[255] = x / kUnit;
    height[0] = 1;
    height[255] = density(x);
    for (size_t i = 254; i >= 1; --i) {
      x = std::sqrt(-2 * std::log(kArea / x + density(x)));
      bound[i + 1] = static_cast<uint64_t>(x / above * kUnit);
      above = x;
      height[i] = density(x);
      width[i] = x / kUnit;
    }
  }

  std::array<uint64_t, 256> bound{};
  std::array<double, 256> width{}, height{};
};

}  // namespace

NumpyRandom::NumpyRandom(uint32_t seed) {
  const std::array<uint64_t, 4> state = StateOf(seed);
  increment_ = (((Wide{state[2]} << 64) | state[3]) << 1) | 1;
  Next();
  state_ += (Wide{state[0]} << 64) | state[1];
  Next();
}

uint64_t NumpyRandom::Next() {
  state_ = state_ * ((Wide{0x2360ed051fc65da4} << 64) | 0x4385df649fccf645) + increment_;
  const auto high = static_cast<uint64_t>(state_ >> 64);
  const uint64_t mixed = high ^ static_cast<uint64_t>(state_);
  const int turn = static_cast<int>(high >> 58);
  return turn == 0 ? mixed : (mixed >> turn) | (mixed << (64 - turn));
}

uint32_t NumpyRandom::NextHalf() {
  if (has_kept_) {
    has_kept_ = false;
    return kept_;
  }
  const uint64_t both = Next();
  kept_ = static_cast<uint32_t>(both >> 32);
  has_kept_ = true;
  return static_cast<uint32_t>(both);
}

double NumpyRandom::Random() { return static_cast<double>(Next() >> 11) * (1.0 / 9007199254740992.0); }

double NumpyRandom::Uniform(double low, double high) { return low + (high - low) * Random(); }

double NumpyRandom::StandardNormal() {
  static const Ziggurat ziggurat;
  for (;;) {
    const uint64_t bits = Next();
    const size_t layer = bits & 0xff;
    const bool negative = (bits >> 8) & 1;
    const uint64_t absolute = (bits >> 9) & 0x000fffffffffffff;
    const double x = static_cast<double>(absolute) * ziggurat.width[layer];
    if (absolute < ziggurat.bound[layer]) return negative ? -x : x;
    if (layer == 0) {
      for (;;) {
        const double beyond = -std::log1p(-Random()) / Ziggurat::kEdge;
        const double y = -std::log1p(-Random());
        if (y + y > beyond * beyond)
          return (absolute >> 8) & 1 ? -(Ziggurat::kEdge + beyond) : Ziggurat::kEdge + beyond;
      }
    }
    const double below = ziggurat.height[layer];
    if ((ziggurat.height[layer - 1] - below) * Random() + below < std::exp(-0.5 * x * x)) return negative ? -x : x;
  }
}

double NumpyRandom::Normal(double mean, double deviation) { return mean + deviation * StandardNormal(); }

double NumpyRandom::Lognormal(double mean, double deviation) { return std::exp(Normal(mean, deviation)); }

int64_t NumpyRandom::Integer(int64_t low, int64_t high) {
  const auto count = static_cast<uint32_t>(high - low);
  uint64_t product = uint64_t{NextHalf()} * count;
  if (static_cast<uint32_t>(product) < count) {
    const uint32_t threshold = (0xffffffffU - (count - 1)) % count;
    while (static_cast<uint32_t>(product) < threshold) product = uint64_t{NextHalf()} * count;
  }
  return low + static_cast<int64_t>(product >> 32);
}

}  // namespace huygens::recommend
