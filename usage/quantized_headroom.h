// The room that each node has left of one resource: the least of each block of slots of the week, in one byte each and
// side by side, where the sums themselves (usage/node_usage.h) lie far apart. Only where the bytes leave open whether a
// pod fits is the sum looked at, so that a question about thousands of nodes is answered from the cache.
//
// A byte says how large an amount is to a 32nd, from the octave (power of two) of the node's limit down: room is
// rounded down, what a pod needs up, and a pod surely fits where no byte of its need is above that of the room.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "cluster/account.h"
#include "usage/node_usage.h"

namespace huygens::usage {

// A cache line of small numbers, of which sixteen are compared at once: the vector extension of GCC and clang.
struct alignas(64) ByteLine {
  static constexpr size_t kBytesOfLane = 16;
  using Lane = int8_t __attribute__((vector_size(kBytesOfLane)));
  using Words = uint64_t __attribute__((vector_size(kBytesOfLane)));  // of the bytes of a comparison
  std::array<Lane, 4> lanes{};
};

// What a pod would add, quantized as the room of nodes is.
struct QuantizedDemand {
  int octave = 0;               // of its peak
  std::vector<ByteLine> lines;  // as on a node whose limit is of that octave, of the next one ...
};

class QuantizedHeadroom {
 public:
  explicit QuantizedHeadroom(size_t slots);

  // `limit`: at least 0.
  void Set(cluster::NodeIndex node, const NodeUsage& usage, int64_t limit);
  // Whether no slot of the sum is above the limit with the pod; `usage` and `limit` are those of Set, and are looked at
  // only where the bytes leave it open. `quantized`: the demand.
  bool Fits(cluster::NodeIndex node, const NodeUsage& usage, const ResourceDemand& demand,
            const QuantizedDemand& quantized, int64_t limit) const;

  static QuantizedDemand Of(const ResourceDemand& demand, size_t slots);

 private:
  // Of the limit: what lies further below it is told apart no more.
  static constexpr int kOctaves = 7;

  bool FitsIn(size_t block, const NodeUsage& usage, const ResourceDemand& demand, int64_t limit) const;

  size_t slots_;
  size_t width_;                  // lines of each node
  std::vector<uint8_t> octaves_;  // of the limit, by node
  std::vector<ByteLine> lines_;   // node by node
};

}  // namespace huygens::usage
