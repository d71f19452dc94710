// What becomes of a pod's requests when it is created: the decision of recommend/decision.h on an admitted pod, and the
// JSON patch (RFC 6902) that makes the pod so. Limits are never touched and nothing is above what was asked for at first;
// a pod to which the patch was applied gives none. Plain init containers stay as they are: they have ended when use is
// measured. A request of the pod as a whole (spec.resources) is lowered with its containers, and never below what they
// ask for together, which an API server would refuse. Pure; any thread.
#pragma once

#include <optional>
#include <string>

#include "overcommit/admitted_pod.h"
#include "recommend/decision.h"

namespace huygens::overcommit {

struct PoolTerms {
  std::string name;  // of the pool
  recommend::PoolPolicy policy;
  std::string basis;  // Record::basis
  // Whether Guaranteed pods with a container of whole CPUs stay as they are even where the policy lowers Guaranteed pods:
  // their CPUs are exclusive on nodes with a static CPU manager, and that is lost with the class. Pods that ask for zones
  // or exclusive CPUs always stay.
  bool keep_whole_cpus = true;
};

struct Lowering {
  recommend::Decision::Reason reason = recommend::Decision::Reason::kApplied;
  recommend::PerResource<recommend::Source> source{};
  // Of the pod: what was asked for, and what is asked for now.
  recommend::PerResource<int64_t> original{}, applied{};
  std::optional<Record> record;  // that the pod carries from now on; nothing: the annotation stays as it is
  std::string patch;             // empty: the pod stays as it is
};

// `recommendation` is null where there is none for the pod.
Lowering LowerPod(const AdmittedPod& pod, const PoolTerms& terms, const recommend::Recommendation* recommendation);

}  // namespace huygens::overcommit
