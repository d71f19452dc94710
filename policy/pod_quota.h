// What a pod's business group says of it, worked out once for the check "quota" and for those who explain it, or wait
// for budget. A pod that holds capacity is charged already: nothing is said of it, whatever its labels or its node's
// say by now. Decision thread only.
#pragma once

#include "cluster/prepared.h"
#include "cluster/state.h"
#include "policy/pod_query.h"
#include "quota/account.h"

namespace huygens::policy {

struct PodQuota final : cluster::Prepared {
  quota::Verdict verdict;           // whatever the node
  quota::VerdictsByModel by_model;  // where it says more of nodes of some models
  quota::WantedModels models;       // that the pod's labels name
};

// Null: the pod goes wherever it likes. `others` are charged to the group, too, as far as this query goes; who first
// asks says so.
const PodQuota* QuotaOf(const PodQuery& pod, const quota::Account& groups, const cluster::State& state,
                        const quota::Amounts& others = {});

// The parts of it by themselves.
quota::Verdict GroupVerdict(const cluster::Pod& pod, const quota::Account& groups, const cluster::State& state,
                            const quota::Amounts& others = {});
quota::VerdictsByModel GroupVerdictsByModel(const cluster::Pod& pod, const quota::Account& groups,
                                            const cluster::State& state, const quota::Amounts& others = {});

}  // namespace huygens::policy
