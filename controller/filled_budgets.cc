#include "controller/filled_budgets.h"

#include "admin/quota_json.h"
#include "quota/amounts.h"
#include "quota/keys.h"

namespace huygens::controller {

using cluster::BizGroupQuota;
using observe::FilledBudget;
using quota::Amounts;

std::vector<FilledBudget> FilledBudgets(const BizGroupQuota& group) {
  std::vector<FilledBudget> filled;
  const Amounts budget = quota::NormalKeys(group.hard), used = quota::NormalKeys(group.used),
                self_used = quota::NormalKeys(group.self_used);
  const Amounts enough = quota::Times(budget, 9), tenfold = quota::Times(used, 10);
  for (const auto& [key, hard] : budget) {
    if (hard.Sign() <= 0 || quota::Get(self_used, key).Sign() <= 0) continue;
    if (quota::Get(tenfold, key) < quota::Get(enough, key)) continue;
    filled.push_back({group.name, key, admin::Approximate(quota::Get(used, key)) / admin::Approximate(hard)});
  }
  return filled;
}

std::vector<FilledBudget> FilledBudgets(const KnownGroups& groups) {
  std::vector<FilledBudget> filled;
  groups.ForEach([&](const BizGroupQuota& each) {
    for (FilledBudget& budget : FilledBudgets(each)) filled.push_back(std::move(budget));
  });
  return filled;
}

}  // namespace huygens::controller
