// Rules that are marked `always`, as MutatingAdmissionPolicies of admissionregistration.k8s.io/v1 (Kubernetes 1.36), which
// the API server applies by itself: one for each kind of objects, so that the order of the rules is kept. They act when
// objects are created. The webhook comes after them and finds nothing left to do; an object that says already what rules
// did to it is left to the webhook. A pure function: the same rules give the same bytes. Any thread.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "rules/rule_set.h"

namespace huygens::rule_policies {

// Of every policy and binding that is made here; those without it are somebody else's.
inline constexpr std::string_view kOursLabel = "rules.huygens.dev/compiled";

struct Policy {
  std::string name;                // of the policy and of its binding
  rules::Tree policy, binding;     // whole objects, without a status
  std::vector<std::string> rules;  // names
};

struct Refusal {
  std::string rule;
  std::string reason;
};

struct Compiled {
  std::vector<Policy> policies;  // by name
  std::vector<Refusal> refused;  // rules marked `always` that hold only as long as huygens lives, by name
};

// `own_namespaces`: besides those of the system.
Compiled Compile(const rules::RuleSet& rules, std::span<const std::string> own_namespaces);

}  // namespace huygens::rule_policies
