#include "rule_keeping/watched_standings.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "informer/watch_readiness.h"
#include "rule_objects/known_rules.h"
#include "wire/object_meta.h"

namespace huygens::rule_keeping {

namespace {

// Whoever applies a directory of rules changes many at once, and each change has all objects listed.
constexpr Duration kRest = std::chrono::seconds(1);
constexpr Duration kRestOfNamespaces = std::chrono::seconds(15);  // they come and go
constexpr Duration kLongestSleep = std::chrono::hours(1);
constexpr size_t kMostObjectBytes = size_t{2} << 20;  // etcd takes no more

bool SaysTheSame(const rules::SchedulingRule& a, const rules::SchedulingRule& b) {
  return a.uid == b.uid && a.generation == b.generation && a.defect == b.defect;
}

std::string NodeOf(const rules::Tree& object) {
  constexpr std::string_view kPath[] = {"spec", "nodeName"};
  const rules::Tree* node = rules::FindAt(object, kPath);
  return node != nullptr ? std::string(node->text()) : std::string();
}

}  // namespace

WatchedStandings::WatchedStandings(Environment environment)
    : environment_(std::move(environment)),
      rules_(names_, environment_.loop, environment_.log, environment_.metrics),
      namespaces_("namespaces (for rules)", names_, environment_.loop, environment_.log, environment_.metrics),
      classes_("priorityclasses.scheduling.k8s.io", names_, environment_.loop, environment_.log, environment_.metrics) {
  rules_.OnChange([this] { LookAtRulesSoon(); });
  classes_.OnChange([this] { LookAtRulesSoon(); });
  namespaces_.OnChange([this] {
    if (!std::exchange(spaces_wait_, true)) {
      spaces_ = environment_.loop.After(kRestOfNamespaces, [this] { LookAtNamespaces(); });
    }
  });
}

Status WatchedStandings::Start() {
  HUYGENS_RETURN_IF_ERROR(rules_.Start(environment_.api_server));
  HUYGENS_RETURN_IF_ERROR(namespaces_.Start(environment_.api_server, rule_objects::kNamespacesPath));
  HUYGENS_RETURN_IF_ERROR(classes_.Start(environment_.api_server, rule_objects::kPriorityClassesPath));
  LookAtRulesSoon();
  return absl::OkStatus();
}

void WatchedStandings::Stop() {
  soon_.Cancel();
  spaces_.Cancel();
  window_.Cancel();
  rules_.Stop();
  namespaces_.Stop();
  classes_.Stop();
  nodes_.reset();
  pods_.reset();
}

std::shared_ptr<const rules::RuleSet> WatchedStandings::rules() const { return standings_.rules(); }

bool WatchedStandings::complete() const {
  return !rules_wait_ && nodes_ != nullptr && nodes_->complete() && pods_ != nullptr && pods_->complete();
}

std::string WatchedStandings::NotReady() const {
  std::vector<informer::Missing> missing;
  for (const informer::FollowedObjects* each : {static_cast<const informer::FollowedObjects*>(&rules_),
                                                static_cast<const informer::FollowedObjects*>(&namespaces_),
                                                static_cast<const informer::FollowedObjects*>(&classes_)}) {
    if (!each->complete()) missing.push_back(each->NotListed());
  }
  if (!missing.empty()) return informer::WaitingText(missing);
  return nodes_ == nullptr ? "waiting for the first look at the rules" : "";
}

void WatchedStandings::Describe(observe::Readiness& readiness) const {
  readiness.items.push_back(rules_.Describe());
  readiness.items.push_back(namespaces_.Describe());
  readiness.items.push_back(classes_.Describe());
  if (nodes_ != nullptr) readiness.items.push_back(nodes_->Describe());
  if (pods_ != nullptr) readiness.items.push_back(pods_->Describe());
  readiness.items.push_back({.name = "scheduling rules",
                             .detail = Concat(std::to_string(standings_.rules()->rules().size()), " rules, ",
                                              std::to_string(standings_.size()), " objects that they are for, ",
                                              std::to_string(standings_.to_repair()), " of them to be repaired")});
}

void WatchedStandings::LookAtRulesSoon() {
  if (std::exchange(rules_wait_, true)) return;
  soon_ = environment_.loop.After(kRest, [this] { LookAtRules(); });
}

void WatchedStandings::LookAtRules() {
  rules_wait_ = false;
  if (!rules_.complete() || !namespaces_.complete() || !classes_.complete()) return LookAtRulesSoon();
  std::vector<rules::SchedulingRule> now =
      rule_objects::WithoutMissingClasses(*rules_.rules(), [this](std::string_view name) {
        return classes_.Find(name) != nullptr;
      }).rules();
  if (nodes_ != nullptr && std::ranges::equal(now, standings_.rules()->rules(), SaysTheSame)) return;
  JudgeAnew(std::move(now));
}

void WatchedStandings::LookAtNamespaces() {
  spaces_wait_ = false;
  const std::vector<rules::SchedulingRule>& rules = standings_.rules()->rules();
  const bool any = std::ranges::any_of(
      rules, [](const rules::SchedulingRule& rule) { return rule.selection.namespace_labels.has_value(); });
  if (any && nodes_ != nullptr) JudgeAnew(rules);
}

void WatchedStandings::JudgeAnew(std::vector<rules::SchedulingRule> rules) {
  standings_.Reset(std::make_shared<const rules::RuleSet>(std::move(rules)));
  node_names_.clear();
  judged_by_.clear();
  const auto follow = [&](std::string name, std::string_view kind, std::string path) {
    auto followed = std::make_unique<FollowedLive>(
        std::move(name), names_, environment_.loop, environment_.log, environment_.metrics,
        FollowedLive::Callbacks{.set = [this, kind](const LiveJson& live) { Take(kind, live); },
                                .gone =
                                    [this](const std::string& uid) {
                                      standings_.Remove(uid);
                                      if (const auto node = node_names_.find(uid); node != node_names_.end()) {
                                        standings_.RemoveNode(node->second);
                                        node_names_.erase(node);
                                      }
                                      if (on_standing_) on_standing_();
                                    }});
    if (const Status started = followed->Start(environment_.api_server, std::move(path)); !started.ok()) {
      environment_.log.Error("cannot follow objects for scheduling rules", {{"why", Message(started)}});
    }
    return followed;
  };
  nodes_ = follow("nodes (for rules)", "Node", "/api/v1/nodes");
  pods_ = follow("pods (for rules)", "Pod", "/api/v1/pods");
  WakeAtWindows();
  if (on_rules_) on_rules_();
}

// When the window of a rule begins or ends.
void WatchedStandings::WakeAtWindows() {
  const Time now = environment_.clock.Now();
  std::optional<Duration> next;
  for (const rules::SchedulingRule& rule : standings_.rules()->rules()) {
    for (const std::optional<Time>& at : {rule.window.from, rule.window.until}) {
      if (at && *at > now)
        next = std::min(next.value_or(kLongestSleep), std::chrono::duration_cast<Duration>(*at - now));
    }
  }
  window_.Cancel();
  if (!next) return;
  if (*next >= kLongestSleep) {
    window_ = environment_.loop.After(kLongestSleep, [this] { WakeAtWindows(); });
  } else {
    window_ = environment_.loop.After(*next, [this] { JudgeAnew(standings_.rules()->rules()); });
  }
}

void WatchedStandings::TakeNodeLabels(const LiveJson& live) {
  const StatusOr<rule_objects::NameAndLabels> decoded = rule_objects::DecodeNameAndLabels(live.json);
  if (!decoded.ok()) return;
  node_names_[live.uid] = live.name;
  standings_.SetNodeLabels(live.name, decoded->labels);
}

void WatchedStandings::Take(std::string_view kind, const LiveJson& live) {
  const bool node = kind == "Node";
  if (live.json.size() > kMostObjectBytes) return;
  if (node) TakeNodeLabels(live);
  const Labels* labels = node ? nullptr : namespaces_.Find(live.namespace_name);
  if (!node) judged_by_[live.namespace_name] = labels != nullptr ? std::optional(*labels) : std::nullopt;
  if (labels != nullptr && rules::LeavesRulesOut(*labels)) return standings_.Remove(live.uid);
  StatusOr<rules::Standing> standing = rules::JudgeStanding(
      {.kind = kind, .json = live.json}, *standings_.rules(),
      {.now = environment_.clock.Now(), .namespace_labels = labels, .own_namespaces = environment_.own_namespaces});
  if (!standing.ok()) {
    if (warnings_.Allow(environment_.clock.Now())) {
      environment_.log.Warn(
          "an object cannot be judged by scheduling rules",
          {{"object", Concat(live.namespace_name, "/", live.name)}, {"why", Message(standing.status())}});
    }
    return;
  }
  std::string on;
  if (!node && !standing->lacks.empty()) {
    const StatusOr<rules::Tree> tree = rules::Tree::Parse(live.json);
    if (tree.ok()) on = NodeOf(*tree);
  }
  standings_.Set({.kind = std::string(kind),
                  .namespace_name = live.namespace_name,
                  .name = live.name,
                  .uid = live.uid,
                  .resource_version = live.resource_version,
                  .node = std::move(on),
                  .standing = *std::move(standing)},
                 environment_.monotonic());
  if (on_standing_) on_standing_();
}

}  // namespace huygens::rule_keeping
