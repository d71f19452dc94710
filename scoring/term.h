// The score seam: how good each node is for the pod, from 0 (worst) to 1 (best); NaN = no opinion. All nodes of a call
// at once. Terms are pure: no I/O, no clock, no memory between calls. Decision thread only.
#pragma once

#include <limits>
#include <span>
#include <string_view>

#include "policy/check.h"

namespace huygens::scoring {

using cluster::NodeIndex;
using policy::PodQuery;

inline constexpr float kNoOpinion = std::numeric_limits<float>::quiet_NaN();

class Term {
 public:
  virtual ~Term() = default;
  // As in the configuration's `prioritize.terms`.
  virtual std::string_view name() const = 0;
  // Writes scores[i] for nodes[i]; both have the same length.
  virtual void Score(const PodQuery& pod, const cluster::State& state, std::span<const NodeIndex> nodes,
                     std::span<float> scores) const = 0;
};

}  // namespace huygens::scoring
