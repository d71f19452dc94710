#include "rescheduling/never.h"

namespace huygens::rescheduling {

std::string_view WhyNever(const NeverFacts& pod, const NeverOptions& options, Time now) {
  if (pod.move == "never") return "says huygens.dev/move: never";
  if (pod.mirror) return "is a static pod of its node";
  if (pod.owner_kind.empty()) return "has no controller that would replace it";
  if (pod.owner_kind == "DaemonSet" || pod.owner_kind == "Node") return "belongs to its node";
  if (pod.system_critical) return "is critical to the system";
  if (pod.local_volume) return "has data on its node";
  if (pod.move == "allow") return {};  // the rest is what people are taken to wish who say nothing
  if (pod.owner_kind == "Job" && !options.allow_jobs) return "is of a Job, which would count it as failed";
  if (pod.safe_to_evict == "false") return "says cluster-autoscaler.kubernetes.io/safe-to-evict: false";
  if (pod.prefer_no_eviction) return "says descheduler.alpha.kubernetes.io/prefer-no-eviction";
  if (!pod.created || *pod.created + options.youngest > now) return "is too young";
  if (pod.history < options.least_history) return "has too little history of use";
  return {};
}

}  // namespace huygens::rescheduling
