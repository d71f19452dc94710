// Check "quota": has the pod's business group enough of its budget left, and is the node of the model that the pod's
// labels name? What the group says (policy/pod_quota.h) holds for all nodes alike, or for those of one model, and a
// model is a look into an array. No victim cures either: whose budget is used up gets more by being given more, or when
// its own pods end.
#pragma once

#include "policy/check.h"
#include "quota/account.h"

namespace huygens::policy {

class QuotaCheck final : public Check {
 public:
  // The account must outlive the check.
  explicit QuotaCheck(const quota::Account& groups) : groups_(groups) {}

  std::string_view name() const override { return "quota"; }
  void Run(const PodQuery& pod, const cluster::Prepared* prepared, const cluster::State& state,
           Candidates& nodes) const override;

 private:
  const quota::Account& groups_;
};

}  // namespace huygens::policy
