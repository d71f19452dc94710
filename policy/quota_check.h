// Check "quota": has the pod's business group enough of its budget left, and is the node of the model that the pod's
// labels name? Both are worked out before (PodQuery::quota, ::models, ::quota_by_model): what the group says holds for
// all nodes alike, or for those of one model, and a model is a look into an array. No victim cures either: whose budget
// is used up gets more by being given more, or when its own pods end.
#pragma once

#include "policy/check.h"

namespace huygens::policy {

class QuotaCheck final : public Check {
 public:
  std::string_view name() const override { return "quota"; }
  void Run(const PodQuery& pod, const cluster::State& state, Candidates& nodes) const override;
};

}  // namespace huygens::policy
