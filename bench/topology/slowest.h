// The question of many that takes longest.
#pragma once

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <vector>

namespace huygens::bench {

// In microseconds; each of ask(0) to ask(count - 1) counts with the best of 25, asked in passes over all: a machine
// that is slow for a while, as virtual ones are, slows no question each time.
template <typename Ask>
double Slowest(size_t count, Ask ask) {
  using Steady = std::chrono::steady_clock;
  std::vector<Steady::duration> best(count, Steady::duration::max());
  for (int pass = 0; pass < 25; ++pass) {
    for (size_t i = 0; i < count; ++i) {
      const auto start = Steady::now();
      benchmark::DoNotOptimize(ask(i));
      best[i] = std::min(best[i], Steady::now() - start);
    }
  }
  return std::chrono::duration<double, std::micro>(*std::max_element(best.begin(), best.end())).count();
}

}  // namespace huygens::bench
