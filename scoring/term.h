// The score seam: how good each node is for the pod, from 0 (worst) to 1 (best); NaN = no opinion. All nodes of a call
// at once. What a term may do and remember is what any rule may (policy/rule.h). Decision thread only.
#pragma once

#include <limits>
#include <memory>
#include <span>

#include "policy/rule.h"

namespace huygens::scoring {

using cluster::NodeIndex;
using policy::PodQuery;

inline constexpr float kNoOpinion = std::numeric_limits<float>::quiet_NaN();

class Term : public policy::Rule {
 public:
  // Writes scores[i] for nodes[i]; both have the same length. `prepared` is what Prepare said of this pod.
  virtual void Score(const PodQuery& pod, const cluster::Prepared* prepared, const cluster::State& state,
                     std::span<const NodeIndex> nodes, std::span<float> scores) const = 0;
  // The same with what it has prepared.
  void Ask(const PodQuery& pod, const cluster::State& state, std::span<const NodeIndex> nodes,
           std::span<float> scores) const {
    Score(pod, PreparedFor(pod, state), state, nodes, scores);
  }
};

// A term that prepares a T, derived from cluster::Prepared, for each pod that it has an opinion on.
template <typename T>
class TermWith : public Term {
 public:
  std::unique_ptr<cluster::Prepared> Prepare(const PodQuery& pod, const cluster::State& state) const final {
    return PrepareFor(pod, state);
  }
  void Score(const PodQuery& pod, const cluster::Prepared* prepared, const cluster::State& state,
             std::span<const NodeIndex> nodes, std::span<float> scores) const final {
    if (prepared != nullptr) return ScoreWith(pod, static_cast<const T&>(*prepared), state, nodes, scores);
    for (float& score : scores) score = kNoOpinion;
  }

 protected:
  // Null: no opinion on any node.
  virtual std::unique_ptr<T> PrepareFor(const PodQuery& pod, const cluster::State& state) const = 0;
  virtual void ScoreWith(const PodQuery& pod, const T& prepared, const cluster::State& state,
                         std::span<const NodeIndex> nodes, std::span<float> scores) const = 0;
};

}  // namespace huygens::scoring
