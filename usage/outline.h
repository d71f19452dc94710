// The sums of all nodes of one resource in outline: the highest of each block of slots, 16 bits each and side by side,
// where the sums themselves (usage/node_usage.h) lie far apart. Only where the outline leaves open whether a pod fits
// is the sum looked at, so that a question about thousands of nodes is answered from the cache.
//
// In steps of a power of two, rounded up, of which a node's limit has 4096 to 8191, unless that would be fractions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cluster/account.h"
#include "usage/node_usage.h"

namespace huygens::usage {

class Outline {
 public:
  explicit Outline(size_t slots);

  // `limit`: at least 0.
  void Set(cluster::NodeIndex node, const NodeUsage& usage, int64_t limit);
  // Whether no slot of the sum is above the limit with the pod; `usage` and `limit` are those of Set, and are looked at
  // only where the outline leaves it open.
  bool Fits(cluster::NodeIndex node, const NodeUsage& usage, const ResourceDemand& demand, const int64_t& limit) const {
    return SurelyFits(node, demand) || FitsBySlots(node, usage, demand, limit);
  }

  static PodOutline Of(const ResourceDemand& demand, size_t slots);

 private:
  bool SurelyFits(cluster::NodeIndex node, const ResourceDemand& demand) const;
  bool FitsBySlots(cluster::NodeIndex node, const NodeUsage& usage, const ResourceDemand& demand, int64_t limit) const;
  bool FitsIn(size_t block, const NodeUsage& usage, const ResourceDemand& demand, int64_t limit) const;

  size_t slots_;
  size_t width_;  // lanes_ per node
  struct Limit {
    int16_t steps = 0;
    uint8_t step = 0;  // 1 << this
  };
  std::vector<Limit> limits_;  // by node
  std::vector<Lanes> lanes_;   // node by node
};

}  // namespace huygens::usage
