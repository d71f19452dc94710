// Writes the status of rules: what they are for, who carries them, what is wrong. All at once, where something has
// changed, and not more often than every few seconds. One key. The loop's thread.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "reconcile/leader_calls.h"
#include "reconcile/reconciler.h"
#include "rule_keeping/recent_errors.h"
#include "rule_keeping/rule_status.h"
#include "rule_keeping/watched_standings.h"

namespace huygens::rule_keeping {

class StatusReconciler final : public reconcile::Reconciler {
 public:
  // What is referred to outlives this. `policy_of`: nothing where it is not known yet.
  struct Environment {
    const WatchedStandings& watched;
    const RecentErrors& errors;
    reconcile::LeaderCalls& calls;
    const Clock& clock;
    std::function<std::optional<PolicyState>(const rules::SchedulingRule&)> policy_of;
  };
  explicit StatusReconciler(Environment environment) : environment_(std::move(environment)) {}

  std::string_view name() const override { return "ruleStatus"; }
  void Start(reconcile::WorkKeys& keys) override { keys_ = &keys; }
  std::string NotReady() const override { return environment_.watched.NotReady(); }
  void ForEachKey(absl::FunctionRef<void(std::string_view)> visit) const override { visit("status"); }
  void Reconcile(const std::string& key, Done done) override;
  // Another instance may have written meanwhile.
  void StopLeading() override { written_.clear(); }
  // Something may have changed that is told of.
  void Look();

 private:
  struct Write {
    std::string name, uid, body;
    rules::RuleStatus status;
  };
  void WriteNext(const std::shared_ptr<std::vector<Write>>& writes, size_t next, const Done& done);

  const Environment environment_;
  reconcile::WorkKeys* keys_ = nullptr;
  std::map<std::string, rules::RuleStatus> written_;  // by UID, since this instance leads
};

}  // namespace huygens::rule_keeping
