// How much each node has left below its ceilings, in four bytes a resource and node by node: what decides most
// questions about thousands of nodes without a look at the sums (usage/node_usage.h), which lie far apart. Amounts are
// rounded against the pod, so that it never passes one that is not there. Decision thread only.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "cluster/account.h"

namespace huygens::usage {

class PeakHeadroom {
 public:
  static constexpr float kNoLimit = std::numeric_limits<float>::infinity();
  static constexpr float kUnknown = -std::numeric_limits<float>::infinity();  // only a closer look can tell
  static float Left(int64_t amount) { return Towards(amount, kUnknown); }
  // Of a pod's peak: a node with that much left or more has room for it.
  static float Needed(int64_t amount) { return Towards(amount, kNoLimit); }
  static constexpr float kNothing = kUnknown;  // needed of a resource that is not looked at

  explicit PeakHeadroom(size_t resources) : resources_(resources) {}

  void Resize(size_t nodes) { left_.resize(nodes * resources_, kNoLimit); }
  float& At(cluster::NodeIndex node, size_t resource) { return left_[node * resources_ + resource]; }
  // Of each resource.
  const float* Of(cluster::NodeIndex node) const { return left_.data() + node * resources_; }

 private:
  static float Towards(int64_t amount, float direction) {
    const auto near = static_cast<float>(amount);
    const auto exact = static_cast<long double>(amount), rounded = static_cast<long double>(near);
    const bool holds = direction < 0 ? rounded <= exact : rounded >= exact;
    return holds ? near : std::nextafter(near, direction);
  }

  size_t resources_;
  std::vector<float> left_;
};

}  // namespace huygens::usage
