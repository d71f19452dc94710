// What a rule said before: each state of its spec is kept as a ControllerRevision of apps/v1, as StatefulSets and
// DaemonSets keep theirs, owned by the rule and gone with it. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "base/time.h"
#include "rules/tree.h"

namespace huygens::rule_history {

// A label of each revision: whose it is.
inline constexpr std::string_view kRuleLabel = "rules.huygens.dev/rule";
// Of a rule: what its author says of the change; kubectl's own.
inline constexpr std::string_view kCauseAnnotation = "kubernetes.io/change-cause";
// So many are kept of a rule, as Kubernetes keeps of a Deployment.
inline constexpr size_t kMostRevisions = 10;

struct Revision {
  std::string name, resource_version, namespace_name;
  std::string rule, rule_uid;
  int64_t number = 0;      // counts up; a state that comes back gets a new one
  int64_t generation = 0;  // of the rule when it last said this
  std::string cause;
  rules::Tree spec;
  std::optional<Time> created;
};

// A rule as it is stored, as far as its history goes.
struct RuleState {
  std::string name, uid;
  int64_t generation = 0;
  std::string cause;
  rules::Tree spec;
};

// Errors say which field cannot be read.
StatusOr<Revision> DecodeRevision(std::string_view json);
StatusOr<std::vector<Revision>> DecodeRevisions(std::string_view json);  // a list; what is none of ours is left out
StatusOr<RuleState> DecodeRuleState(std::string_view json);
// The whole object.
std::string EncodeRevision(const Revision& revision);

struct Step {
  std::optional<Revision> create;    // this is new
  std::optional<Revision> renumber;  // this has come back: the same object with another number
  std::vector<std::string> remove;   // names of those that are too many, the oldest first
};
// What is to be written so that `kept`, the revisions of the rule, has the state as its newest.
Step NextStep(const RuleState& rule, std::vector<Revision> kept, std::string_view namespace_name);

// The revision to go back to: that with this number, or where it is 0 the newest that says something else than the rule
// says now. NotFound with a sentence for people.
StatusOr<Revision> FindRevision(const RuleState& rule, const std::vector<Revision>& kept, int64_t number);
// The rule with the spec and the cause of the revision, as PUT takes it. `json`: the rule as it is stored.
StatusOr<std::string> RuleAsBefore(std::string_view json, const Revision& revision);

}  // namespace huygens::rule_history
