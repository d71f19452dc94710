// What a review is about, told by resource, subresource and operation alone. Pure; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"
#include "webhook/admission_review.h"

namespace huygens::webhook {

enum class Subject : uint8_t {
  kNothing,     // status, bindings, evictions, kinds that nobody charges
  kGroup,       // a BizGroupResourceQuota itself
  kWorkload,    // one that is charged as a whole, to be created or changed; a pod's resize, too
  kDeferred,    // its pods or jobs are charged one by one: DaemonSet, CronJob
  kRelease,     // a workload to be deleted; what it holds is free once it is seen to be gone
  kScale,       // the number of replicas of a workload, which the review names by UID alone
  kAutoscaler,  // HorizontalPodAutoscaler
};

Subject SubjectOf(const AdmissionRequest& request);

// autoscaling/v1 Scale: of which workload, and how many replicas; none are 0.
struct ScaleObject {
  std::string uid, resource_version;
  int32_t replicas = 0;
};
StatusOr<ScaleObject> DecodeScale(std::string_view json);

struct Autoscaler {
  std::string target_group, target_kind, target_name;
  int32_t max_replicas = 0;
  friend bool operator==(const Autoscaler&, const Autoscaler&) = default;
};
StatusOr<Autoscaler> DecodeAutoscaler(std::string_view json);

}  // namespace huygens::webhook
