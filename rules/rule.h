// A SchedulingRule, huygens.dev/v1alpha1 (config/crd/schedulingrules.yaml): which objects are meant, and what is injected
// into them when they are written (docs/rules.md). Plain structs; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/label_selector.h"
#include "base/quantity.h"
#include "base/status.h"
#include "base/time.h"
#include "rules/tree.h"

namespace huygens::rules {

inline constexpr std::string_view kApiVersion = "huygens.dev/v1alpha1";
inline constexpr std::string_view kRuleKind = "SchedulingRule";
inline constexpr std::string_view kRulesPath = "/apis/huygens.dev/v1alpha1/schedulingrules";

// Of an object that has it, as an annotation or a label, with any value but "false": no rule is for it.
inline constexpr std::string_view kSkipAnnotation = "rules.huygens.dev/skip";
// Of a namespace, with this value: no rule is for what is in it.
inline constexpr std::string_view kRulesLabel = "huygens.dev/rules", kIgnoreValue = "ignore";

// Which objects. Without requirements all of its kinds, of all namespaces but those of the system.
struct Selection {
  std::vector<std::string> kinds;  // at least one
  std::vector<std::string> namespaces;
  std::optional<LabelSelector> namespace_labels;
  LabelSelector labels;
  // Of pods, the kind of the controller that owns them. Empty: any but DaemonSet, and none.
  std::vector<std::string> owner_kinds;
  friend bool operator==(const Selection&, const Selection&) = default;
};

// Whoever is named by any of these is not meant.
struct Exclusion {
  std::vector<std::string> namespaces;
  std::optional<LabelSelector> labels;
  friend bool operator==(const Exclusion&, const Exclusion&) = default;
};

enum class ShareOf : uint8_t { kWorkload, kPod };

// A part of what is selected, the same part every time; a larger share has all of a smaller one.
struct Rollout {
  int64_t per_ten_thousand = 10'000;
  ShareOf by = ShareOf::kWorkload;
  friend bool operator==(const Rollout&, const Rollout&) = default;
};

// `from` is in it, `until` is not.
struct Window {
  std::optional<Time> from, until;
  friend bool operator==(const Window&, const Window&) = default;
};

// What becomes of one amount: `set`, or the amount times `factor`; then not below `min`, not above `max`.
struct AmountChange {
  std::string resource;  // "cpu"
  std::optional<int64_t> factor_millionths;
  std::optional<Quantity> set, min, max;
  friend bool operator==(const AmountChange&, const AmountChange&) = default;
};

// As the objects of Kubernetes have them; Trees have been checked field by field.
struct Injection {
  std::vector<std::pair<std::string, std::string>> labels, annotations;
  std::vector<AmountChange> requests, limits;  // of each container
  std::vector<AmountChange> allocatable;       // of a node
  std::vector<Tree> tolerations, taints, topology_spread;
  std::vector<Tree> required_nodes;   // requirements of a term: all must hold
  std::vector<Tree> preferred_nodes;  // {weight, preference}
  std::vector<Tree> required_near, preferred_near, required_apart, preferred_apart;  // podAffinity, podAntiAffinity
  std::string scheduler_name, priority_class_name;
  friend bool operator==(const Injection&, const Injection&) = default;
};

enum class Mode : uint8_t { kReport, kEnforce };

struct RuleError {
  std::string message;
  std::optional<Time> time;

  static void Describe(auto& self, auto& fields) {
    fields.Always("message", self.message);
    fields.IfSet("time", self.time);
  }
  friend bool operator==(const RuleError&, const RuleError&) = default;
};

struct RuleConflict {
  std::string field, with;  // with: the name of the rule that came first; empty: the object's own value
  int64_t objects = 0;

  static void Describe(auto& self, auto& fields) {
    fields.Always("field", self.field);
    fields.IfSet("with", self.with);
    fields.Always("objects", self.objects);
  }
  friend bool operator==(const RuleConflict&, const RuleConflict&) = default;
};

// As Kubernetes has them. kValid: the rule can be used. kPoliciesInStep: of a rule marked always, the API server applies
// it by itself. kCarried: every object that it is for is as it says.
inline constexpr std::string_view kValid = "Valid", kPoliciesInStep = "PoliciesInStep", kCarried = "Carried";

struct RuleCondition {
  std::string type, status, reason, message;  // status: "True" or "False"
  int64_t observed_generation = 0;
  std::optional<Time> last_transition_time;

  static void Describe(auto& self, auto& fields) {
    fields.Always("type", self.type);
    fields.Always("status", self.status);
    fields.IfSet("observedGeneration", self.observed_generation);
    fields.IfSet("lastTransitionTime", self.last_transition_time);
    fields.Always("reason", self.reason);
    fields.Always("message", self.message);
  }
  friend bool operator==(const RuleCondition&, const RuleCondition&) = default;
};

// Counts are of objects. `pending`: are going to be changed where they are; `need_new_pods`: lack what only a new pod
// has; `misplaced`: of those, are on a node where they may not be.
struct RuleStatus {
  int64_t observed_generation = 0, matched = 0, applied = 0, pending = 0, need_new_pods = 0, misplaced = 0;
  std::vector<RuleCondition> conditions;
  std::vector<RuleConflict> conflicts;
  std::vector<RuleError> last_errors;

  static void Describe(auto& self, auto& fields) {
    fields.IfSet("observedGeneration", self.observed_generation);
    fields.Always("matched", self.matched);
    fields.Always("applied", self.applied);
    fields.IfSet("pending", self.pending);
    fields.IfSet("needNewPods", self.need_new_pods);
    fields.IfSet("misplaced", self.misplaced);
    fields.IfSet("conditions", self.conditions);
    fields.IfSet("conflicts", self.conflicts);
    fields.IfSet("lastErrors", self.last_errors);
  }
  friend bool operator==(const RuleStatus&, const RuleStatus&) = default;
};

struct SchedulingRule {
  std::string name, uid, resource_version;
  int64_t generation = 0;
  int64_t priority = 0;  // higher comes first, then by name
  Selection selection;
  Exclusion exclusion;
  Rollout rollout;
  Window window;
  Mode mode = Mode::kReport;
  bool always = false;
  bool override_existing = false;  // onConflict: override
  Injection injection;
  RuleStatus status;
  std::string defect;  // why it is for no object; empty: it can be used
  friend bool operator==(const SchedulingRule&, const SchedulingRule&) = default;

  // "spread@3", as the objects that it was applied to say.
  std::string Version() const { return Concat(name, "@", std::to_string(generation)); }
};

// What is JSON with metadata.name but cannot be used comes back with its defect, which names the field: a rule that
// cannot be read is for no object, and is told from one that is gone.
StatusOr<SchedulingRule> DecodeRule(std::string_view json);
// The whole object; what is read from it is equal to `rule`, whose defect must be empty.
std::string EncodeRule(const SchedulingRule& rule);
// As PUT .../status takes it.
std::string EncodeRuleStatus(const SchedulingRule& rule);

}  // namespace huygens::rules
