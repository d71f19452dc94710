// Rules, namespaces and PriorityClasses, as the watches of an API server tell of them. On the loop's thread.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/resource.h"
#include "base/status.h"
#include "net/client.h"
#include "observe/readiness.h"
#include "rule_objects/followed_labels.h"
#include "rule_objects/followed_rules.h"
#include "rule_objects/known_rules.h"

namespace huygens::rule_objects {

class WatchedRules final : public KnownRules {
 public:
  // What is referred to must outlive this.
  WatchedRules(ResourceNames& names, net::EventLoop& loop, observe::Log& log, observe::Metrics& metrics);

  // Once. Fails if the client options are not usable.
  Status Start(const net::ClientOptions& api_server);
  void Stop();

  std::shared_ptr<const rules::RuleSet> rules() const override;
  const Labels* NamespaceLabels(std::string_view name) const override { return namespaces_.Find(name); }
  bool HasPriorityClass(std::string_view name) const override { return classes_.Find(name) != nullptr; }
  std::string NotReady() const override;
  // Items of /readyz.
  std::vector<observe::Readiness::Item> Describe() const;

 private:
  FollowedRules rules_;
  FollowedLabels namespaces_, classes_;
  // What rules() said last, of which set; null: is to be made anew.
  mutable std::shared_ptr<const rules::RuleSet> made_of_, made_;
};

}  // namespace huygens::rule_objects
