// What must hold, counted plainly from the objects that are stored: by rules written down anew, with none of production's
// code for trees, charges or hours.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "tests/simulation/api_server.h"

namespace huygens::simulation {

class Truth {
 public:
  explicit Truth(const ApiServer& server) : server_(server) {}

  struct Use {
    Plain own;  // of the workloads that name the group: each with what it made, never twice
    Plain all;  // and the budgets of its children, hours left out
  };
  std::map<std::string, Use, std::less<>> ByGroup() const;
  Plain All(const std::string& group) const { return ByGroup()[group].all; }
  // Of pods that hold a node and have not ended, by the group that they name.
  Plain Placed(std::string_view group) const;

  // The group that pays for the pod; empty: none.
  std::string PayerOf(const Workload& pod) const;

  // At any moment: of no key that is counted the status of a group says less than what is stored. Empty: it holds.
  std::string NothingUncharged() const;
  // A charge that a webhook writes: what grows fits.
  static std::string WithinBudget(const cluster::BizGroupQuota& before, const cluster::BizGroupQuota& after);
  // Groups on the way of a transfer that is under way: what they keep of it counts in their status besides.
  std::set<std::string, std::less<>> OnTheWay() const;
  // When all has come to rest: the status says what is stored, and nothing is reserved.
  std::string AtRest() const;

 private:
  bool CountsByItself(const Workload& workload) const;

  const ApiServer& server_;
};

inline bool IsHours(std::string_view key) { return key.starts_with("cash/"); }

}  // namespace huygens::simulation
