#include "rule_keeping/policy_reconciler.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "rule_keeping/policy_calls.h"

namespace huygens::rule_keeping {

namespace {

constexpr Duration kCallTimeout = std::chrono::seconds(10);
constexpr Duration kInterval = std::chrono::minutes(1);
constexpr Duration kLongInterval = std::chrono::minutes(10);  // where the API server has no such policies

std::string KeyOf(const rules::SchedulingRule& rule) { return Concat(rule.uid, "@", std::to_string(rule.generation)); }

}  // namespace

struct PolicyReconciler::Round {
  std::shared_ptr<const rules::RuleSet> rules;
  rule_policies::Compiled compiled;
  PolicyRound result;
};

void PolicyReconciler::Look() {
  if (keys_ != nullptr) keys_->Add("policies");
}

void PolicyReconciler::Reconcile(const std::string& /*key*/, Done done) {
  auto round = std::make_shared<Round>();
  round->rules = environment_.watched.rules();
  round->compiled = rule_policies::Compile(*round->rules, environment_.watched.own_namespaces());
  environment_.calls.Post(
      [this, round, done = std::move(done)](net::Client& client, Duration longest) -> kube::CallPool::Then {
        round->result = KeepPolicies(client, round->compiled.policies, std::min(longest, kCallTimeout));
        return [this, round, done] { Ended(round, done); };
      });
}

void PolicyReconciler::Ended(const std::shared_ptr<Round>& round, const Done& done) {
  const PolicyRound& result = round->result;
  for (const std::string& each : result.written) {
    ++writes_;
    environment_.log.Info("a policy of scheduling rules is kept", {{"what", each}});
  }
  std::map<std::string, PolicyState> states;
  bool any = false;
  for (const rules::SchedulingRule& rule : round->rules->rules()) {
    if (!rule.always) continue;
    any = true;
    PolicyState state{.in_step = result.status.ok(), .why = std::string(Message(result.status))};
    for (const rule_policies::Policy& policy : round->compiled.policies) {
      if (std::ranges::find(policy.rules, rule.name) == policy.rules.end()) continue;
      if (const auto fault = result.faults.find(policy.name); fault != result.faults.end()) {
        state = {.in_step = false, .why = fault->second};
      }
    }
    const auto refused = std::ranges::find(round->compiled.refused, rule.name, &rule_policies::Refusal::rule);
    if (refused != round->compiled.refused.end()) state = {.in_step = false, .why = refused->reason};
    states.emplace(KeyOf(rule), std::move(state));
  }
  states_ = std::move(states);
  environment_.changed();
  // An API server without such policies has none of ours either.
  if (result.unserved) return done({.again = kLongInterval});
  if (!result.status.ok()) return done({.status = result.status});
  if (!result.faults.empty()) {
    for (const auto& [name, fault] : result.faults) {
      environment_.log.Warn("a policy of scheduling rules is not in step", {{"policy", name}, {"why", fault}});
    }
  }
  done({.again = any || !result.written.empty() ? kInterval : kLongInterval});
}

std::optional<PolicyState> PolicyReconciler::StateOf(const rules::SchedulingRule& rule) const {
  const auto at = states_.find(KeyOf(rule));
  return at == states_.end() ? std::nullopt : std::optional(at->second);
}

}  // namespace huygens::rule_keeping
