// What a fuzz target demands beyond "does not crash". A broken demand ends the program, so that libFuzzer keeps the
// input.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace huygens::fuzz {

inline void Require(bool holds, const char* demand) {
  if (holds) return;
  std::fprintf(stderr, "fuzz: does not hold: %s\n", demand);
  std::abort();
}

}  // namespace huygens::fuzz
