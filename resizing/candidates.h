// Which running pods may be lowered in place, by what is known of them here, and by what their pool and their
// recommendation say. Pure; the thread that owns the targets.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "overcommit/lowering.h"
#include "recommend/decision.h"
#include "recommendations/targets.h"

namespace huygens::resizing {

// What decides of a pod.
struct PodTerms {
  overcommit::PoolTerms pool;
  // The narrowest effective of those of the pod's name, workload and namespace, else the narrowest; nothing: none.
  std::optional<recommend::Recommendation> recommendation;
};
// Nothing: the pod is in no pool that lowers pods in place.
std::optional<PodTerms> TermsOf(const recommendations::Targets& targets, const recommendations::PodEntry& pod,
                                Time now);

struct Candidate {
  std::string key;  // namespace/name
  std::string uid;
};
// Those that would ask for less, in the order of their keys.
std::vector<Candidate> CandidatesOf(const recommendations::Targets& targets, Time now);

}  // namespace huygens::resizing
