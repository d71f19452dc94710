// numpy's default generator (PCG64) and the distributions that the made weeks need, number for number, so that a seed
// makes the same series here as in a Python script. https://numpy.org/doc/stable/reference/random/
#pragma once

#include <array>
#include <cstdint>

namespace huygens::recommend {

class NumpyRandom {
 public:
  explicit NumpyRandom(uint32_t seed);

  double Random();                          // in [0, 1)
  double Uniform(double low, double high);  // in [low, high)
  double Normal(double mean, double deviation);
  double Lognormal(double mean, double deviation);
  int64_t Integer(int64_t low, int64_t high);  // in [low, high)

 private:
  using Wide = unsigned __int128;

  uint64_t Next();
  uint32_t NextHalf();
  double StandardNormal();

  Wide state_ = 0;
  Wide increment_ = 0;
  uint32_t kept_ = 0;  // the upper half of a number of which the lower was used
  bool has_kept_ = false;
};

}  // namespace huygens::recommend
