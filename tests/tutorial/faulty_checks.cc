// Checks "budgetless" and "useless", for tests: they say that they go by budgets, and by ceilings of use, and do not
// ask for what has these.
#include "policy/registry.h"

namespace huygens::policy {

namespace {

template <bool kBudgets>
class FaultyCheck final : public Check {
 public:
  std::string_view name() const override { return kBudgets ? "budgetless" : "useless"; }
  void Run(const PodQuery&, const cluster::Prepared*, const cluster::State&, Candidates&) const override {}
};

}  // namespace

CheckEntry BudgetlessEntry() {
  return {.name = "budgetless", .needs = {.budgets = true}, .make = [](const Sources&) -> std::unique_ptr<Check> {
            return std::make_unique<FaultyCheck<true>>();
          }};
}

CheckEntry UselessEntry() {
  return {.name = "useless", .needs = {.ceilings = true}, .make = [](const Sources&) -> std::unique_ptr<Check> {
            return std::make_unique<FaultyCheck<false>>();
          }};
}

}  // namespace huygens::policy
