// Random numbers of which a seed says all (splitmix64): the same on every machine, and cheap to have many of, so that
// what one operation draws does not change what another one does.
#pragma once

#include <cstdint>

#include "base/time.h"

namespace huygens::simulation {

class Stream {
 public:
  explicit Stream(uint64_t seed) : seed_(seed), state_(seed) {}

  uint64_t Next() {
    state_ += 0x9e3779b97f4a7c15;
    uint64_t mixed = state_;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
    return mixed ^ (mixed >> 31);
  }
  int Below(int end) { return static_cast<int>(Next() % static_cast<uint64_t>(end)); }
  int Within(int least, int most) { return least + Below(most - least + 1); }
  double Uniform() { return static_cast<double>(Next() >> 11) * 0x1.0p-53; }
  bool Chance(double probability) { return Uniform() < probability; }
  Duration Between(Duration least, Duration most) {
    return least + Duration(static_cast<int64_t>(Uniform() * static_cast<double>((most - least).count())));
  }
  // Another one, which does not depend on how far this one has come.
  Stream Fork(uint64_t number) const { return Stream(Stream(seed_ ^ (number * 0xd6e8feb86659fd93 + 1)).Next()); }

 private:
  uint64_t seed_, state_;
};

}  // namespace huygens::simulation
