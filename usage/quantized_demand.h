// What a pod would add, quantized as the room of nodes is: made and read by usage/quantized_headroom.h.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace huygens::usage {

// A cache line of small numbers, of which sixteen are compared at once: the vector extension of GCC and clang.
struct alignas(64) ByteLine {
  static constexpr size_t kBytesOfLane = 16;
  using Lane = int8_t __attribute__((vector_size(kBytesOfLane)));
  using Words = uint64_t __attribute__((vector_size(kBytesOfLane)));  // of the bytes of a comparison
  std::array<Lane, 4> lanes{};
};

struct QuantizedDemand {
  int octave = 0;               // of its peak
  std::vector<ByteLine> lines;  // as on a node whose limit is of that octave, of the next one ...
};

}  // namespace huygens::usage
