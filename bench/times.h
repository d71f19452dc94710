// How long calls took, in microseconds.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <fstream>
#include <string>
#include <vector>

namespace huygens::bench {

inline double Median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

inline double MicrosecondsOf(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_nsec) / 1e3;
}

inline double ResidentMegabytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmRSS:")) return std::stod(line.substr(6)) / 1024;
  }
  return 0;
}

struct Times {
  std::vector<double> microseconds;

  template <typename Call>
  void Add(Call call) {
    const auto start = std::chrono::steady_clock::now();
    call();
    microseconds.push_back(std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count());
  }
  double At(double share) const {
    std::vector<double> sorted = microseconds;
    std::sort(sorted.begin(), sorted.end());
    return sorted[static_cast<size_t>(share * static_cast<double>(sorted.size() - 1))];
  }
  double Middle() const { return Median(microseconds); }
  // Median absolute deviation.
  double Spread() const {
    const double median = Middle();
    std::vector<double> deviations;
    for (double each : microseconds) deviations.push_back(std::abs(each - median));
    return Median(deviations);
  }
};

}  // namespace huygens::bench
