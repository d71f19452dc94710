// Objects on their way into a cluster, and what SchedulingRules make of them (docs/rules.md), as a patch. Nothing here
// refuses an object: one that cannot be read, or comes before the rules are known, is stored as it is written, and a rule
// that cannot be used is for none. The loop's thread.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"
#include "base/time.h"
#include "observe/log.h"
#include "observe/log_limit.h"
#include "observe/metrics.h"
#include "rule_objects/known_rules.h"
#include "rules/inject.h"
#include "settings/scheduling_rules.h"
#include "webhook/admission_review.h"

namespace huygens::webhook {

// Of a namespace: no rule is for what is in it.
inline constexpr std::string_view kRulesLabel = "huygens.dev/rules";
inline constexpr std::string_view kIgnoreValue = "ignore";

class RuleMutation {
 public:
  struct Environment {
    observe::Log& log;
    observe::Metrics& metrics;
    const Clock& clock;
  };
  struct Answer {
    std::string patch;   // JSON of RFC 6902; empty: the object stays as it is
    rules::Tree object;  // as it is then, where there is a patch
    std::vector<std::pair<std::string, std::string>> audit_annotations;
  };

  // Everything referred to must outlive it.
  RuleMutation(const settings::SchedulingRulesConfiguration& configuration, const rule_objects::KnownRules& known,
               Environment environment)
      : configuration_(configuration), known_(known), environment_(environment) {}

  bool off() const { return configuration_.mode == settings::SchedulingRulesMode::kOff; }
  Answer Judge(const AdmissionRequest& request);
  // How many rules there are, for whoever asks for the metrics.
  void CountRules();

 private:
  void Note(const AdmissionRequest& request, const rules::Outcome& outcome, Answer& answer);
  void LogDecision(const AdmissionRequest& request, const rules::Outcome& outcome, std::string_view applied,
                   std::string_view would_apply) const;
  // No patch, and why: nobody's object is to wait for that.
  Answer AsWritten(const AdmissionRequest& request, std::string_view why);

  const settings::SchedulingRulesConfiguration& configuration_;
  const rule_objects::KnownRules& known_;
  const Environment environment_;
  observe::RateLimit warnings_{std::chrono::seconds(10)};
};

}  // namespace huygens::webhook
