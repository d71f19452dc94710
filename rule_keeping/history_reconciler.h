// Keeps what rules said before as ControllerRevisions in the namespace of huygens (rule_history/revision.h). A key is the
// name of a rule, looked at when what it says has changed. The loop's thread.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "reconcile/leader_calls.h"
#include "reconcile/reconciler.h"
#include "rule_keeping/watched_standings.h"

namespace huygens::rule_keeping {

class HistoryReconciler final : public reconcile::Reconciler {
 public:
  // What is referred to outlives this.
  struct Environment {
    const WatchedStandings& watched;
    reconcile::LeaderCalls& calls;
    std::string namespace_name;  // where revisions are kept
  };
  explicit HistoryReconciler(Environment environment) : environment_(std::move(environment)) {}

  std::string_view name() const override { return "ruleHistory"; }
  void Start(reconcile::WorkKeys& keys) override { keys_ = &keys; }
  std::string NotReady() const override { return environment_.watched.NotReady(); }
  void ForEachKey(absl::FunctionRef<void(std::string_view)> visit) const override;
  void Reconcile(const std::string& key, Done done) override;
  void StopLeading() override { kept_.clear(); }
  // Rules have changed.
  void Look();

 private:
  const Environment environment_;
  reconcile::WorkKeys* keys_ = nullptr;
  std::map<std::string, int64_t> kept_;  // by UID of the rule: the generation that was kept, since this instance leads
};

}  // namespace huygens::rule_keeping
