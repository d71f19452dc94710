// The ResourceClaims that a pod names (spec.resourceClaims), for the decoder of pods. A claim made from a template has
// a name that the spec does not know: kube-controller-manager writes it into status.resourceClaimStatuses. Safe on any
// thread.
//
// What kube-scheduler makes for extended resources (status.extendedResourceClaimStatus) is not read: it holds what the
// containers ask for.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/boxed.h"
#include "base/status.h"
#include "cluster/device_claim.h"
#include "json/reader.h"

namespace huygens::wire {

struct ClaimStatus {
  std::string entry;
  std::optional<std::string> name;  // nothing: none is needed
};

Status ReadPodClaims(JsonReader& in, Boxed<std::vector<cluster::PodClaim>>& claims);
Status ReadClaimStatuses(JsonReader& in, std::vector<ClaimStatus>& statuses);
// A name in the spec stays.
void AttachClaimNames(const std::vector<ClaimStatus>& statuses, Boxed<std::vector<cluster::PodClaim>>& claims);

}  // namespace huygens::wire
