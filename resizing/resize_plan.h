// What becomes of a running pod's requests, without a restart: the decision that its next replica would get at admission
// (overcommit/lowering.h), as far as it lowers. Nothing is raised, limits stay, and so does the QoS class, which an API
// server would refuse to change (Kubernetes: "Pod QOS Class may not change as a result of resizing").
//
// Two writes: first the annotation says what is asked for from now on and what was before it, then the requests are
// lowered. So what was asked for at first is known whatever becomes of the second. Pure; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "overcommit/lowering.h"
#include "recommend/decision.h"
#include "resizing/running_pod.h"

namespace huygens::resizing {

// Of what is asked for: a change that saves less of it is left for the next replica. Millionths.
inline constexpr int64_t kSmallestStep = 100'000;

// Why a pod is left as it is, or kLower.
enum class Verdict : uint8_t {
  kLower,
  kNothingToLower,
  kNotRunning,    // or about to be deleted
  kNotBurstable,  // Guaranteed and BestEffort pods
  kNotApplied,    // by the rules of its pool
  kBeingResized,  // kubelet has not done what was asked for last
  kWouldRestart,  // a container by its resizePolicy
  kPodAsAWhole    // it has requests as a whole, spec.resources
};
std::string_view Name(Verdict verdict);  // "NothingToLower"

struct ResizePlan {
  Verdict verdict = Verdict::kLower;
  overcommit::Record record;  // what the annotation is to say
  std::string requests;       // JSON: the `spec` of a strategic merge patch of pods/resize
};

// `recommendation` is null where there is none for the pod.
ResizePlan PlanResize(const RunningPod& pod, const overcommit::PoolTerms& terms,
                      const recommend::Recommendation* recommendation);

// Whether the step from what is asked for to less is large enough.
bool WorthTheStep(int64_t requested, int64_t wanted);

// Bodies of PATCHes, which fail where the pod is another one by now, or has changed since.
std::string AnnotationPatch(const RunningPod& pod, const overcommit::Record& record);  // of pods/status: merge
std::string ResizePatch(std::string_view uid, std::string_view resource_version,
                        std::string_view requests);  // of pods/resize: strategic-merge

}  // namespace huygens::resizing
