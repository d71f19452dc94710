#include "rule_objects/watched_rules.h"

#include "informer/watch_readiness.h"

namespace huygens::rule_objects {

WatchedRules::WatchedRules(ResourceNames& names, net::EventLoop& loop, observe::Log& log, observe::Metrics& metrics)
    : rules_(names, loop, log, metrics),
      namespaces_("namespaces", names, loop, log, metrics),
      classes_("priorityclasses.scheduling.k8s.io", names, loop, log, metrics) {
  classes_.OnChange([this] { made_.reset(); });
}

Status WatchedRules::Start(const net::ClientOptions& api_server) {
  HUYGENS_RETURN_IF_ERROR(namespaces_.Start(api_server, kNamespacesPath));
  HUYGENS_RETURN_IF_ERROR(classes_.Start(api_server, kPriorityClassesPath));
  return rules_.Start(api_server);
}

void WatchedRules::Stop() {
  rules_.Stop();
  namespaces_.Stop();
  classes_.Stop();
}

std::shared_ptr<const rules::RuleSet> WatchedRules::rules() const {
  std::shared_ptr<const rules::RuleSet> all = rules_.rules();
  if (made_ == nullptr || made_of_ != all) {
    made_of_ = std::move(all);
    made_ = std::make_shared<const rules::RuleSet>(
        WithoutMissingClasses(*made_of_, [this](std::string_view name) { return HasPriorityClass(name); }));
  }
  return made_;
}

std::string WatchedRules::NotReady() const {
  std::vector<informer::Missing> missing;
  for (const informer::FollowedObjects* each : {static_cast<const informer::FollowedObjects*>(&rules_),
                                                static_cast<const informer::FollowedObjects*>(&namespaces_),
                                                static_cast<const informer::FollowedObjects*>(&classes_)}) {
    if (!each->complete()) missing.push_back(each->NotListed());
  }
  return missing.empty() ? "" : informer::WaitingText(missing);
}

std::vector<observe::Readiness::Item> WatchedRules::Describe() const {
  return {rules_.Describe(), namespaces_.Describe(), classes_.Describe()};
}

}  // namespace huygens::rule_objects
