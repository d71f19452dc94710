#include "rule_keeping/rule_keeper.h"

#include <optional>
#include <string>
#include <utility>

#include "base/steady_now.h"
#include "base/text.h"
#include "rule_keeping/history_reconciler.h"
#include "rule_keeping/policy_reconciler.h"
#include "rule_keeping/repair_reconciler.h"
#include "rule_keeping/status_reconciler.h"
#include "rule_keeping/watched_standings.h"

namespace huygens::rule_keeping {

namespace {

std::vector<std::string> OwnNamespaces(const settings::Configuration& configuration) {
  std::vector<std::string> own = configuration.rules.excluded_namespaces;
  own.push_back(configuration.controller.lease.namespace_name);
  return own;
}

struct Keeper {
  explicit Keeper(const Surroundings& given)
      : watched({.api_server = given.api_server,
                 .loop = given.loop,
                 .log = given.log,
                 .metrics = given.metrics,
                 .clock = given.clock,
                 .monotonic = SteadyNow,
                 .own_namespaces = OwnNamespaces(given.configuration)}),
        enforces(given.configuration.controller.rules.mode == settings::KeptRulesMode::kEnforce),
        keeps_policies(enforces && given.configuration.controller.rules.policies),
        policies({.watched = watched, .calls = given.calls, .log = given.log, .changed = [this] { status.Look(); }}),
        repairs({.watched = watched,
                 .errors = errors,
                 .calls = given.calls,
                 .clock = given.clock,
                 .log = given.log,
                 .monotonic = SteadyNow,
                 .writes_per_second = static_cast<double>(given.configuration.controller.rules.writes_per_second)}),
        status({.watched = watched,
                .errors = errors,
                .calls = given.calls,
                .clock = given.clock,
                .policy_of = [this](const rules::SchedulingRule& rule) { return PolicyOf(rule); }}),
        history({.watched = watched,
                 .calls = given.calls,
                 .namespace_name = given.configuration.controller.lease.namespace_name}) {
    watched.OnRules([this] {
      policies.Look();
      repairs.Look();
      status.Look();
      history.Look();
    });
    watched.OnStanding([this] {
      repairs.Look();
      status.Look();
    });
  }

  std::optional<PolicyState> PolicyOf(const rules::SchedulingRule& rule) const {
    if (keeps_policies) return policies.StateOf(rule);
    return PolicyState{.in_step = false,
                       .why = enforces ? "controller.rules.policies is off" : "controller.rules.mode is report"};
  }

  WatchedStandings watched;
  const bool enforces, keeps_policies;
  RecentErrors errors;
  PolicyReconciler policies;
  RepairReconciler repairs;
  StatusReconciler status;
  HistoryReconciler history;
};

// A reconciler of those that share a Keeper: it owns a part of it.
class Sharing final : public reconcile::Reconciler {
 public:
  Sharing(std::shared_ptr<Keeper> shared, reconcile::Reconciler& reconciler, bool first)
      : shared_(std::move(shared)), reconciler_(reconciler), first_(first) {}

  std::string_view name() const override { return reconciler_.name(); }
  void Start(reconcile::WorkKeys& keys) override { reconciler_.Start(keys); }
  std::string NotReady() const override { return reconciler_.NotReady(); }
  void ForEachKey(absl::FunctionRef<void(std::string_view)> visit) const override { reconciler_.ForEachKey(visit); }
  void Reconcile(const std::string& key, Done done) override { reconciler_.Reconcile(key, std::move(done)); }
  void StopLeading() override { reconciler_.StopLeading(); }
  void Describe(observe::Readiness& readiness) const override {
    if (first_) shared_->watched.Describe(readiness);
  }

 private:
  const std::shared_ptr<Keeper> shared_;
  reconcile::Reconciler& reconciler_;
  const bool first_;  // speaks for all
};

}  // namespace

void AddReconcilers(const Surroundings& given, std::vector<std::unique_ptr<reconcile::Reconciler>>& reconcilers) {
  if (given.configuration.controller.rules.mode == settings::KeptRulesMode::kOff) return;
  const auto keeper = std::make_shared<Keeper>(given);
  if (const Status started = keeper->watched.Start(); !started.ok()) {
    given.log.Error("scheduling rules are not kept", {{"why", Message(started)}});
    return;
  }
  reconcilers.push_back(std::make_unique<Sharing>(keeper, keeper->status, true));
  reconcilers.push_back(std::make_unique<Sharing>(keeper, keeper->history, false));
  if (keeper->enforces) reconcilers.push_back(std::make_unique<Sharing>(keeper, keeper->repairs, false));
  if (keeper->keeps_policies) reconcilers.push_back(std::make_unique<Sharing>(keeper, keeper->policies, false));
}

}  // namespace huygens::rule_keeping
