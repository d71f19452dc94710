// Keeps the MutatingAdmissionPolicies and bindings that rules marked `always` compile to (rule_policies/compile.h) as
// they should be: creates, writes over, deletes. Policies without the label of huygens are never touched. One key, looked
// at when rules change and every minute, for somebody else may have changed them. The loop's thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"
#include "observe/log.h"
#include "reconcile/leader_calls.h"
#include "reconcile/reconciler.h"
#include "rule_keeping/rule_status.h"
#include "rule_keeping/watched_standings.h"
#include "rule_policies/compile.h"

namespace huygens::rule_keeping {

class PolicyReconciler final : public reconcile::Reconciler {
 public:
  // What is referred to outlives this.
  struct Environment {
    const WatchedStandings& watched;
    reconcile::LeaderCalls& calls;
    observe::Log& log;
    std::function<void()> changed;  // of what StateOf says; called on the loop's thread
  };
  explicit PolicyReconciler(Environment environment) : environment_(std::move(environment)) {}

  std::string_view name() const override { return "rulePolicies"; }
  void Start(reconcile::WorkKeys& keys) override { keys_ = &keys; }
  std::string NotReady() const override { return environment_.watched.NotReady(); }
  void ForEachKey(absl::FunctionRef<void(std::string_view)> visit) const override { visit("policies"); }
  void Reconcile(const std::string& key, Done done) override;
  void Look();

  // Whether the API server applies a rule by itself; nothing: not known yet.
  std::optional<PolicyState> StateOf(const rules::SchedulingRule& rule) const;
  uint64_t writes() const { return writes_; }

 private:
  struct Round;
  void Ended(const std::shared_ptr<Round>& round, const Done& done);

  const Environment environment_;
  reconcile::WorkKeys* keys_ = nullptr;
  std::map<std::string, PolicyState> states_;  // by "UID@generation" of the rule, as of the last round
  uint64_t writes_ = 0;
};

}  // namespace huygens::rule_keeping
