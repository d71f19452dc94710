// A ResourceClaim and a DeviceClass of resource.k8s.io, v1, v1beta2 or v1beta1: what their budgets need.
//
// Devices are counted as ResourceQuota does (pkg/quota/v1/evaluator/core/resource_claims.go of Kubernetes 1.36):
// `count` of allocationMode ExactCount, 32 of All, of firstAvailable the most of each class that any of the
// alternatives takes; adminAccess makes no difference. A request of a kind or mode that is not known here counts
// nothing; `left_out`, if given, receives which.
//
// A ResourceClaimTemplate is read as the claims that would be made from it.
//
// A claim that is JSON but cannot be used (a wrong type, a negative count) does not fail: it comes back with `defect`
// set. Fails on text that is not a JSON object with metadata.name. Safe on any thread.
#pragma once

#include <string_view>

#include "base/status.h"
#include "cluster/device_claim.h"

namespace huygens::wire {

// The most devices that one claim can get (AllocationResultsMaxSize of k8s.io/api/resource/v1).
inline constexpr int64_t kMostDevicesOfClaim = 32;

StatusOr<cluster::ResourceClaim> DecodeResourceClaim(std::string_view json, Status* left_out = nullptr);
StatusOr<cluster::DeviceClass> DecodeDeviceClass(std::string_view json);

}  // namespace huygens::wire
