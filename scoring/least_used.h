// Term "LeastUsed": the less of a node its pods will use at their weekly peak, the better.
//
//   sum of weight * max(0, 1 - share) / sum of weights          over the resources (scoring/usage_term.h)
//   max(0, 1 - highest share)                                   in the dominant form
//
// The mean lets a node with plenty of memory left hide that its CPUs are all but used; the dominant form does not, as
// in koordinator's LoadAwareScheduling (dominantResourceWeight).
#pragma once

#include "scoring/usage_term.h"

namespace huygens::scoring {

enum class LeastUsedForm : uint8_t { kMean, kDominant };

class LeastUsed final : public UsageTerm {
 public:
  LeastUsed(const usage::Account& usage, const ResourceVector& weights, LeastUsedForm form)
      : UsageTerm(usage, weights), form_(form) {}

  std::string_view name() const override { return "LeastUsed"; }

 private:
  double ScoreOf(std::span<const UsageShare> shares) const override;

  const LeastUsedForm form_;
};

}  // namespace huygens::scoring
