// Budgets of which nearly all is used, by workloads of the group itself: what people may want to know before something of
// theirs is refused. A group that has handed all of its budget to its children is as it should be. Pure; any thread.
#pragma once

#include <vector>

#include "cluster/biz_group_quota.h"
#include "controller/known_groups.h"
#include "observe/controller_metrics.h"

namespace huygens::controller {

// Of nine tenths on, as the webhook warns.
std::vector<observe::FilledBudget> FilledBudgets(const cluster::BizGroupQuota& group);
std::vector<observe::FilledBudget> FilledBudgets(const KnownGroups& groups);

}  // namespace huygens::controller
