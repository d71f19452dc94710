#include "policy/reason.h"

namespace huygens::policy {

namespace {

struct Words {
  std::string_view text;
  std::string_view label;
  bool curable = false;
};

Words Of(Reason reason) {
  switch (reason) {
    case Reason::kFits:
      return {"", "fits"};
    case Reason::kUnknownNode:
      return {"node(s) not known to huygens yet", "unknown_node"};
    case Reason::kNoTopology:
      return {"node(s) failed to get NRT", "no_topology"};
    case Reason::kLostTopology:
      return {"node(s) lost their NRT", "lost_topology"};
    case Reason::kUnusableTopology:
      return {"node(s) had an unusable NRT", "unusable_topology"};
    case Reason::kStaleRealCapacity:
      return {"node(s) had stale real capacity of NUMA node", "stale_real_capacity"};
    case Reason::kInsufficientCores:
      return {"node(s) had insufficient CPU cores of NUMA node", "insufficient_cores", true};
    case Reason::kTooFewCores:
      return {"node(s) had insufficient CPU cores of NUMA node", "too_few_cores"};
    case Reason::kUnknownCores:
      return {"node(s) had unknown CPU cores of NUMA node", "unknown_cores"};
    case Reason::kInvalidTopologyData:
      return {"invalid node topology data", "invalid_topology_data"};
    case Reason::kCannotAlignPod:
      return {"cannot align pod", "cannot_align_pod", true};
    case Reason::kNeverAlignsPod:
      return {"cannot align pod", "never_aligns_pod"};
    case Reason::kCannotAlignContainer:
      return {"cannot align container", "cannot_align_container", true};
    case Reason::kNeverAlignsContainer:
      return {"cannot align container", "never_aligns_container"};
    case Reason::kCannotAlignInitContainer:
      return {"cannot align init container", "cannot_align_init_container", true};
    case Reason::kNeverAlignsInitContainer:
      return {"cannot align init container", "never_aligns_init_container"};
    case Reason::kCannotAlignSidecar:
      return {"cannot align sidecar container", "cannot_align_sidecar_container", true};
    case Reason::kNeverAlignsSidecar:
      return {"cannot align sidecar container", "never_aligns_sidecar_container"};
    case Reason::kInsufficientZones:
      return {"node(s) had insufficient resource of NUMA node", "insufficient_zones", true};
    case Reason::kZonesTooSmall:
      return {"node(s) had insufficient resource of NUMA node", "zones_too_small"};
    case Reason::kUsageCeiling:
      return {"node(s) would exceed the usage ceiling", "usage_ceiling", true};
    case Reason::kUsageCeilingTooLow:
      return {"node(s) would exceed the usage ceiling", "usage_ceiling_too_low"};
    case Reason::kUsageUnknown:
      return {"node(s) had no fresh usage data", "usage_unknown"};
    case Reason::kQuotaExceeded:
      return {"quota of the pod's business group is exhausted", "quota_exceeded"};
    case Reason::kQuotaHoursSpent:
      return {"quota hours of the pod's business group are spent", "quota_hours_spent"};
    case Reason::kQuotaNoGroup:
      return {"quota of the pod's business group does not exist", "quota_no_group"};
    case Reason::kQuotaGroupClosed:
      return {"quota of the pod's business group takes no pods now", "quota_group_closed"};
    case Reason::kQuotaAmountNeeded:
      return {"quota of the pod's business group wants every container to state its amounts", "quota_amount_needed"};
    case Reason::kQuotaAncestorOver:
      return {"quota of a group above the pod's business group is over its budget", "quota_ancestor_over"};
    case Reason::kQuotaClaimUnknown:
      return {"quota of the pod's business group is of devices and a ResourceClaim of the pod is unknown",
              "quota_claim_unknown"};
    case Reason::kQuotaOtherModel:
      return {"node(s) were not of the model that the pod's quota labels name", "quota_other_model"};
    case Reason::kQuotaModelExceeded:
      return {"node(s) were of a model of which quota of the pod's business group is exhausted",
              "quota_model_exceeded"};
    case Reason::kQuotaModelNotNamed:
      return {"node(s) were of a model that the pod's quota labels must name", "quota_model_not_named"};
  }
  return {};
}

}  // namespace

std::string_view Text(Reason reason) { return Of(reason).text; }
std::string_view Label(Reason reason) { return Of(reason).label; }
bool CurableByVictims(Reason reason) { return Of(reason).curable; }

}  // namespace huygens::policy
