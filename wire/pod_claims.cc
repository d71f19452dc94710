#include "wire/pod_claims.h"

#include <utility>

namespace huygens::wire {

using cluster::PodClaim;

Status ReadPodClaims(JsonReader& in, Boxed<std::vector<PodClaim>>& claims) {
  std::vector<PodClaim> read;
  HUYGENS_RETURN_IF_ERROR(ReadList(in, read, [&](PodClaim& claim) {
    return in.Fields("name", claim.entry, "resourceClaimName", claim.name, "resourceClaimTemplateName",
                     claim.made_from);
  }));
  claims.reset();
  if (!read.empty()) claims = std::move(read);
  return absl::OkStatus();
}

Status ReadClaimStatuses(JsonReader& in, std::vector<ClaimStatus>& statuses) {
  return ReadList(in, statuses, [&](ClaimStatus& status) {
    return in.Fields("name", status.entry, "resourceClaimName",
                     [&] { return in.SkipNull() ? absl::OkStatus() : in.Read(status.name.emplace()); });
  });
}

void AttachClaimNames(const std::vector<ClaimStatus>& statuses, Boxed<std::vector<PodClaim>>& claims) {
  if (!claims) return;
  for (PodClaim& claim : *claims) {
    if (!claim.name.empty()) continue;
    for (const ClaimStatus& status : statuses) {
      if (status.entry != claim.entry) continue;
      claim.needed = status.name.has_value();
      if (status.name) claim.name = *status.name;
    }
  }
}

}  // namespace huygens::wire
