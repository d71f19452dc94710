// A node's score: the mean of the terms that have an opinion on it, by weight, scaled to 0..max_score and rounded half
// up. A node on which no term has an opinion gets 0, as crane's plugin and kube-scheduler's own give nodes they know
// nothing of. Decision thread only.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "scoring/term.h"

namespace huygens::scoring {

class WeightedMean {
 public:
  explicit WeightedMean(int64_t max_score) : max_score_(max_score) {}

  // A term of weight 0 is not asked.
  void Add(std::unique_ptr<Term> term, double weight);
  // Has each term prepare for the pod, if it has not yet.
  void Prepare(const PodQuery& pod, const cluster::State& state) const;

  // means[i] for nodes[i], from 0 to 1. Values of a term outside 0..1 are cut.
  void Mean(const PodQuery& pod, const cluster::State& state, std::span<const NodeIndex> nodes,
            std::span<double> means);
  int64_t Scale(double mean) const {
    // Never negative, so that cutting off is rounding down. NOLINTNEXTLINE(bugprone-incorrect-roundings)
    return static_cast<int64_t>(mean * static_cast<double>(max_score_) + 0.5);
  }

  // The terms in the order in which they were added, and what each said in the last call of Mean.
  size_t size() const { return terms_.size(); }
  const Term& term(size_t i) const { return *terms_[i].term; }
  Term& term(size_t i) { return *terms_[i].term; }
  double weight(size_t i) const { return terms_[i].weight; }
  std::span<const float> said(size_t i) const { return terms_[i].said; }

 private:
  struct Weighted {
    std::unique_ptr<Term> term;
    double weight = 1;
    std::vector<float> said;
  };
  int64_t max_score_;
  std::vector<Weighted> terms_;
  std::vector<double> weights_;  // by node: of the terms with an opinion
};

}  // namespace huygens::scoring
