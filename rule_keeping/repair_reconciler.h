// Changes in place what objects lack of the rules: labels, annotations and tolerations of pods, labels, annotations and
// taints of nodes, and what they offer. One object after the other, so many a second; an object that somebody changed
// meanwhile is left to the next look. One key. The loop's thread.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/time.h"
#include "observe/log.h"
#include "observe/log_limit.h"
#include "reconcile/leader_calls.h"
#include "reconcile/reconciler.h"
#include "rule_keeping/recent_errors.h"
#include "rule_keeping/watched_standings.h"

namespace huygens::rule_keeping {

class RepairReconciler final : public reconcile::Reconciler {
 public:
  // What is referred to outlives this.
  struct Environment {
    WatchedStandings& watched;
    RecentErrors& errors;
    reconcile::LeaderCalls& calls;
    const Clock& clock;
    observe::Log& log;
    std::function<Duration()> monotonic;
    double writes_per_second = 5;
  };
  explicit RepairReconciler(Environment environment) : environment_(std::move(environment)) {}

  std::string_view name() const override { return "ruleRepairs"; }
  void Start(reconcile::WorkKeys& keys) override { keys_ = &keys; }
  std::string NotReady() const override { return environment_.watched.NotReady(); }
  void ForEachKey(absl::FunctionRef<void(std::string_view)> visit) const override { visit("repair"); }
  void Reconcile(const std::string& key, Done done) override;
  // Some object may be due.
  void Look();

  struct Counts {
    uint64_t repaired = 0, conflicts = 0, refused = 0;
  };
  const Counts& counts() const { return counts_; }

 private:
  void Ended(const KeptObject& object, const Status& status, const Done& done);

  const Environment environment_;
  reconcile::WorkKeys* keys_ = nullptr;
  Counts counts_;
  Duration next_write_{};
  observe::RateLimit warnings_{std::chrono::seconds(10)};
};

}  // namespace huygens::rule_keeping
