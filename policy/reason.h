// Why a node cannot take a pod: a closed list. Texts are fixed and carry no numbers, since kube-scheduler groups equal
// texts; where crane-scheduler or the community's plugin prints a text for the same cause,
// that text is used.
#pragma once

#include <cstdint>
#include <string_view>

namespace huygens::policy {

enum class Reason : uint8_t {
  kFits,               // not rejected
  kUnknownNode,        // a name that the watch has not shown (yet)
  kNoTopology,         // no topology object where the pod or the operator demands one
  kLostTopology,       // there was a topology object, and it went while the node stayed
  kUnusableTopology,   // a topology object that cannot be used (too many zones, say)
  kStaleRealCapacity,  // would fit, were the real capacity of its zones known
  kInsufficientCores,  // zones have CPUs free, but not the cores that huygens.dev/smt asks for
  kTooFewCores,        // would not have these cores either if the zones were empty
  kUnknownCores,       // nobody says which cores the zones have
  // kubelet would refuse the pod, a container of it; "never": to the empty node, too.
  kInvalidTopologyData,  // the object that says what its zones have cannot be used
  kCannotAlignPod,
  kNeverAlignsPod,
  kCannotAlignContainer,
  kNeverAlignsContainer,
  kCannotAlignInitContainer,
  kNeverAlignsInitContainer,
  kCannotAlignSidecar,
  kNeverAlignsSidecar,
  kInsufficientZones,   // zones are large enough but taken
  kZonesTooSmall,       // would not fit if the zones were empty
  kUsageCeiling,        // the others on the node use too much of it
  kUsageCeilingTooLow,  // the pod alone would use more than the ceiling
  kUsageUnknown,        // use is stale or was never measured, and the operator says reject
  // The budget of the pod's business group: of every node, or of those of one model where the group says so of that
  // model alone. The last three are of single models always.
  kQuotaExceeded,
  kQuotaHoursSpent,
  kQuotaNoGroup,
  kQuotaGroupClosed,    // it is being deleted or frozen, or nobody has counted its hours yet
  kQuotaAmountNeeded,   // a container does not say how much it takes
  kQuotaAncestorOver,   // a group above it has given away more than it has
  kQuotaClaimUnknown,   // nobody knows yet which devices a claim of the pod asks for
  kQuotaOtherModel,     // the node is not of the model that the pod's labels name
  kQuotaModelExceeded,  // the group would take it, but not on a node of this model
  kQuotaModelNotNamed,  // the group has a budget of the node's model, and wants the pod's labels to name it
};
inline constexpr Reason kReasons[] = {Reason::kFits,
                                      Reason::kUnknownNode,
                                      Reason::kNoTopology,
                                      Reason::kLostTopology,
                                      Reason::kUnusableTopology,
                                      Reason::kStaleRealCapacity,
                                      Reason::kInsufficientCores,
                                      Reason::kTooFewCores,
                                      Reason::kUnknownCores,
                                      Reason::kInvalidTopologyData,
                                      Reason::kCannotAlignPod,
                                      Reason::kNeverAlignsPod,
                                      Reason::kCannotAlignContainer,
                                      Reason::kNeverAlignsContainer,
                                      Reason::kCannotAlignInitContainer,
                                      Reason::kNeverAlignsInitContainer,
                                      Reason::kCannotAlignSidecar,
                                      Reason::kNeverAlignsSidecar,
                                      Reason::kInsufficientZones,
                                      Reason::kZonesTooSmall,
                                      Reason::kUsageCeiling,
                                      Reason::kUsageCeilingTooLow,
                                      Reason::kUsageUnknown,
                                      Reason::kQuotaExceeded,
                                      Reason::kQuotaHoursSpent,
                                      Reason::kQuotaNoGroup,
                                      Reason::kQuotaGroupClosed,
                                      Reason::kQuotaAmountNeeded,
                                      Reason::kQuotaAncestorOver,
                                      Reason::kQuotaClaimUnknown,
                                      Reason::kQuotaOtherModel,
                                      Reason::kQuotaModelExceeded,
                                      Reason::kQuotaModelNotNamed};

// What kube-scheduler shows, e.g. "node(s) had insufficient resource of NUMA node"; empty for kFits. Two reasons may
// share a text.
std::string_view Text(Reason reason);
// One word for a metric label, e.g. "insufficient_zones"; unique.
std::string_view Label(Reason reason);
// Whether taking pods off the node could help: FailedNodes if so, else FailedAndUnresolvableNodes.
bool CurableByVictims(Reason reason);

}  // namespace huygens::policy
