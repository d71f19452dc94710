// A pod as the HPA controller sees it, and what huygens has recorded of its requests (overcommit/record.h). Safe on any
// thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/label_selector.h"
#include "base/resource.h"
#include "base/status.h"
#include "base/time.h"
#include "overcommit/admitted_pod.h"
#include "recommend/replica_calculator.h"

namespace huygens::metrics_front {

struct AskedPod {
  std::string namespace_name, name, uid;
  Labels labels;
  std::optional<Time> created;
  std::string basis;                             // of the record; empty: its requests were not lowered
  std::optional<overcommit::PodOwner> workload;  // overcommit::WorkloadOf
  // By recommend::Resource: phase, readiness, and what its containers ask for; nothing of what they use.
  recommend::ScaledPod of_resource[recommend::kResources];
};

// Fails where the pod cannot be read, naming the field.
StatusOr<AskedPod> DecodeAskedPod(std::string_view json, const ResourceNames& names);

}  // namespace huygens::metrics_front
