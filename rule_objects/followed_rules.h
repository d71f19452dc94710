// SchedulingRules, as the watch of an API server tells of them. A cluster may be without their definition: then there are
// none. On the loop's thread.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "base/resource.h"
#include "base/status.h"
#include "informer/followed_objects.h"
#include "net/client.h"
#include "rules/rule_set.h"

namespace huygens::rule_objects {

class FollowedRules final : public informer::FollowedObjects {
 public:
  // What is referred to must outlive this.
  FollowedRules(ResourceNames& names, net::EventLoop& loop, observe::Log& log, observe::Metrics& metrics);
  ~FollowedRules() override { Stop(); }

  // Once. Fails if the client options are not usable.
  Status Start(const net::ClientOptions& api_server);

  // As they are now, those that cannot be used with their defects; never null. Another set after each change, and the
  // earlier one stays as long as somebody holds it.
  std::shared_ptr<const rules::RuleSet> rules() const;
  // Called after each change of what a rule says, which a change of its status alone is not.
  void OnChange(std::function<void()> call) { on_change_ = std::move(call); }

 private:
  std::string Set(const cluster::DecodedWorkload& object) override;
  void Gone(const std::string& uid) override;
  void Changed();

  std::map<std::string, rules::SchedulingRule> by_uid_;
  mutable std::shared_ptr<const rules::RuleSet> set_;  // null: to be made anew
  std::function<void()> on_change_;
};

}  // namespace huygens::rule_objects
