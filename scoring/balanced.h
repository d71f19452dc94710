// Term "Balanced": the more evenly a node's resources will be used, the better, so that none runs out while the others
// lie idle.
//
//   1 - standard deviation of the shares, by weight             over the resources (scoring/usage_term.h)
//
// A share above 1 counts as 1. Of two resources with equal weights that is 1 - |a - b| / 2; a single one is balanced,
// as for kube-scheduler's NodeResourcesBalancedAllocation. A busy node may well be more balanced than an idle one: give
// LeastUsed the larger weight where hot nodes matter.
#pragma once

#include "scoring/usage_term.h"

namespace huygens::scoring {

class Balanced final : public UsageTerm {
 public:
  Balanced(const usage::Account& usage, const ResourceVector& weights) : UsageTerm(usage, weights) {}

  std::string_view name() const override { return "Balanced"; }

 private:
  double ScoreOf(std::span<const UsageShare> shares) const override;
};

}  // namespace huygens::scoring
