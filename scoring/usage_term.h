// What the terms "LeastUsed" and "Balanced" share: per node the predicted use of each resource with the pod on it, as a
// share of what the machine can really give, and the weight of that resource. Where real use is not known the account
// gives what the pods' requests come to (usage/account.h), so such a node is neither best nor worst; a resource that
// the node does not list is left out, and a node that lists none of them gets no opinion.
#pragma once

#include <span>
#include <vector>

#include "scoring/term.h"
#include "usage/account.h"

namespace huygens::scoring {

struct UsageShare {
  double share = 0;
  double weight = 1;
};

class UsageTerm : public Term {
 public:
  void Score(const PodQuery& pod, const cluster::Prepared* prepared, const cluster::State& state,
             std::span<const NodeIndex> nodes, std::span<float> scores) const final;

 protected:
  // `weights` by resource; 1 where it has none. The account must outlive the term.
  UsageTerm(const usage::Account& usage, const ResourceVector& weights);

  // At least one share.
  virtual double ScoreOf(std::span<const UsageShare> shares) const = 0;

 private:
  const usage::Account& usage_;
  std::vector<double> weights_;  // by position in usage::Options::resources
};

}  // namespace huygens::scoring
