// Rules, and how the pods and nodes of the cluster stand to them, as the watches of an API server tell of them. When
// rules change, when namespaces do by whose labels rules select, and when the window of a rule begins or ends, all
// objects are listed and judged anew. Every instance follows them. On the loop's thread.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/resource.h"
#include "base/status.h"
#include "base/time.h"
#include "net/client.h"
#include "net/event_loop.h"
#include "observe/log.h"
#include "observe/log_limit.h"
#include "observe/metrics.h"
#include "observe/readiness.h"
#include "rule_keeping/followed_live.h"
#include "rule_keeping/standings.h"
#include "rule_objects/followed_labels.h"
#include "rule_objects/followed_rules.h"
#include "rules/rule_set.h"

namespace huygens::rule_keeping {

class WatchedStandings {
 public:
  // All outlive it.
  struct Environment {
    const net::ClientOptions& api_server;
    net::EventLoop& loop;
    observe::Log& log;
    observe::Metrics& metrics;
    const Clock& clock;
    std::function<Duration()> monotonic;
    std::vector<std::string> own_namespaces;
  };
  explicit WatchedStandings(Environment environment);
  ~WatchedStandings() { Stop(); }
  WatchedStandings(const WatchedStandings&) = delete;
  WatchedStandings& operator=(const WatchedStandings&) = delete;

  // Once. Fails if the client options are not usable.
  Status Start();
  void Stop();

  // Those that can be used, the others with their defects; never null.
  std::shared_ptr<const rules::RuleSet> rules() const;
  const std::vector<std::string>& own_namespaces() const { return environment_.own_namespaces; }
  Standings& standings() { return standings_; }
  const Standings& standings() const { return standings_; }
  // Whether every object has been judged by the rules as they are now.
  bool complete() const;
  // What the rules themselves wait for, in words; empty: nothing.
  std::string NotReady() const;
  void Describe(observe::Readiness& readiness) const;

  // Called after each change: of rules; of how an object stands.
  void OnRules(std::function<void()> call) { on_rules_ = std::move(call); }
  void OnStanding(std::function<void()> call) { on_standing_ = std::move(call); }

 private:
  void LookAtRulesSoon();
  void LookAtRules();
  void LookAtNamespaces();
  void JudgeAnew(std::vector<rules::SchedulingRule> rules);
  void WakeAtWindows();
  void Take(std::string_view kind, const LiveJson& live);
  void TakeNodeLabels(const LiveJson& live);

  const Environment environment_;
  ResourceNames names_;
  rule_objects::FollowedRules rules_;
  rule_objects::FollowedLabels namespaces_, classes_;
  Standings standings_;
  std::unique_ptr<FollowedLive> nodes_, pods_;  // null until the rules are known
  TextMap<std::string> node_names_;             // by UID
  TextMap<std::optional<Labels>> judged_by_;    // labels of namespaces by which pods were judged
  net::Timer soon_, spaces_, window_;
  bool rules_wait_ = false, spaces_wait_ = false;
  std::function<void()> on_rules_, on_standing_;
  observe::RateLimit warnings_{std::chrono::seconds(60)};
};

}  // namespace huygens::rule_keeping
