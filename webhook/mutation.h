// The mutating webhook: rules (docs/rules.md), then the requests of pods (docs/overcommit.md), in one pass and one patch,
// so that what rules make of a pod decides what is lowered. It allows everything. The loop's thread.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "base/time.h"
#include "net/server.h"
#include "observe/metrics.h"
#include "rule_objects/known_rules.h"
#include "webhook/admission_review.h"
#include "webhook/pod_mutation.h"
#include "webhook/rule_mutation.h"

namespace huygens::webhook {

// Below server.pathPrefix.
inline constexpr std::string_view kMutatePath = "mutate";

class Mutation {
 public:
  struct Environment {
    observe::Metrics& metrics;
    std::function<Duration()> monotonic;
  };

  // Everything referred to must outlive it.
  Mutation(RuleMutation& rules, const rule_objects::KnownRules& known, PodMutation& pods, std::string_view path_prefix,
           Environment environment);

  const std::string& path() const { return path_; }
  void Handle(const net::Request& request, const net::Respond& respond);
  // The review that answers one, as text; an error where `body` is no review.
  StatusOr<std::string> Answer(std::string_view body);

 private:
  AdmissionAnswer Judge(AdmissionRequest request);
  bool LowersNothingIn(std::string_view namespace_name) const;

  RuleMutation& rules_;
  const rule_objects::KnownRules& known_;
  PodMutation& pods_;
  const std::string path_;
  const Environment environment_;
};

// Two patches as one: the second is of what the first makes.
std::string JoinPatches(std::string first, std::string_view second);

}  // namespace huygens::webhook
