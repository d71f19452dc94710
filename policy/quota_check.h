// Check "quota": has the pod's business group enough of its budget left, and is the node of the model that the pod's
// labels name? What the group says holds for all nodes alike and is worked out before (PodQuery::quota), so that it
// costs nothing per node. No victim cures it: whose budget is used up gets more by being given more, or when its own
// pods end.
#pragma once

#include "policy/check.h"
#include "quota/node_model.h"

namespace huygens::policy {

class QuotaCheck final : public Check {
 public:
  // `models` must outlive the check.
  explicit QuotaCheck(const quota::NodeModelLabels& models) : models_(models) {}

  std::string_view name() const override { return "quota"; }
  void Run(const PodQuery& pod, const cluster::State& state, Candidates& nodes) const override;

 private:
  const quota::NodeModelLabels& models_;
};

}  // namespace huygens::policy
