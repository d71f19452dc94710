// SchedulingRules on their way into a cluster: refused with the reason where they could not be used, would have API servers
// refuse the objects of others, or would change what others write and go by (rules/judge_rule.h). A deletion is never
// refused, nor a change for the sake of what it leaves as it was: whoever wants to lower the percentage of a rule whose
// PriorityClass is gone must be able to. The loop's thread.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/status.h"
#include "base/time.h"
#include "net/server.h"
#include "observe/log.h"
#include "observe/metrics.h"
#include "rule_objects/known_rules.h"
#include "settings/scheduling_rules.h"
#include "webhook/admission_review.h"

namespace huygens::webhook {

// Below server.pathPrefix.
inline constexpr std::string_view kValidateRulePath = "validate-rule";

class RuleValidation {
 public:
  struct Environment {
    observe::Log& log;
    observe::Metrics& metrics;
    std::function<Duration()> monotonic;
    // Calls the task once after this time, on the same thread. Null: nothing will be known later that is not known now.
    std::function<void(Duration, std::function<void()>)> after = nullptr;
  };

  // Everything referred to must outlive it.
  RuleValidation(const settings::SchedulingRulesConfiguration& configuration, const rule_objects::KnownRules& known,
                 std::string_view path_prefix, Environment environment);

  const std::string& path() const { return path_; }
  void Handle(const net::Request& request, const net::Respond& respond);
  // Of one review, as text; an error where `body` is no review. A PriorityClass that a rule names may have been created
  // a moment ago, and the watch be about to tell: so a refusal for want of it waits for as long as that takes.
  void Ask(std::string body, std::function<void(StatusOr<std::string>)> answer) const;

 private:
  struct Judged {
    AdmissionAnswer answer;
    bool wants_class = false;  // it is refused for want of a PriorityClass
  };
  StatusOr<Judged> Judge(std::string_view body) const;
  void AskAgain(std::shared_ptr<const std::string> body, Duration began,
                std::function<void(StatusOr<std::string>)> answer) const;
  // Why the rule cannot be had; empty: it can.
  std::string Fault(const AdmissionRequest& request, Judged& judged) const;
  std::string FaultHere(const rules::SchedulingRule& rule, bool& wants_class) const;

  const settings::SchedulingRulesConfiguration& configuration_;
  const rule_objects::KnownRules& known_;
  const std::string path_;
  const Environment environment_;
};

}  // namespace huygens::webhook
