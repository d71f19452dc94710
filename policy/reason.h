// Why a node cannot take a pod: a closed list. Texts are fixed and carry no numbers, since kube-scheduler groups equal
// texts; where crane-scheduler or the community's plugin prints a text for the same cause,
// that text is used.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
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
  // Moves (docs/rescheduling.md).
  kHeldForMove,     // the pod's requests would not fit beside room that is held for a pod on the move
  kMovesElsewhere,  // the pod is the replacement of one that moves, and this is not where it moves to
};

enum class Cure : uint8_t {
  kNone,     // nothing to cure
  kVictims,  // pods that leave the node could help
  kSmaller,  // nothing on this node, as long as the pod is as large: it would not fit even without the others
  kOther,    // something else has to change, or time has to pass
};

struct ReasonEntry {
  Reason reason;
  std::string_view label;  // one word for a metric label; unique
  Cure cure;
  std::string_view text;        // what kube-scheduler shows; two reasons may share it
  std::string_view apart = {};  // for people: what sets it apart from another one of the same text; may be empty
};

// In the order of the enumerators, which is the order in which metrics and pages show them.
inline constexpr ReasonEntry kReasonTable[] = {
    {Reason::kFits, "fits", Cure::kNone, ""},
    {Reason::kUnknownNode, "unknown_node", Cure::kOther, "node(s) not known to huygens yet"},
    {Reason::kNoTopology, "no_topology", Cure::kOther, "node(s) failed to get NRT"},
    {Reason::kLostTopology, "lost_topology", Cure::kOther, "node(s) lost their NRT"},
    {Reason::kUnusableTopology, "unusable_topology", Cure::kOther, "node(s) had an unusable NRT"},
    {Reason::kStaleRealCapacity, "stale_real_capacity", Cure::kOther, "node(s) had stale real capacity of NUMA node"},
    {Reason::kInsufficientCores, "insufficient_cores", Cure::kVictims,
     "node(s) had insufficient CPU cores of NUMA node", "taken by other pods"},
    {Reason::kTooFewCores, "too_few_cores", Cure::kSmaller, "node(s) had insufficient CPU cores of NUMA node",
     "too small even when empty"},
    {Reason::kUnknownCores, "unknown_cores", Cure::kOther, "node(s) had unknown CPU cores of NUMA node"},
    {Reason::kInvalidTopologyData, "invalid_topology_data", Cure::kOther, "invalid node topology data"},
    {Reason::kCannotAlignPod, "cannot_align_pod", Cure::kVictims, "cannot align pod", "taken by other pods"},
    {Reason::kNeverAlignsPod, "never_aligns_pod", Cure::kSmaller, "cannot align pod",
     "not even when the node is empty"},
    {Reason::kCannotAlignContainer, "cannot_align_container", Cure::kVictims, "cannot align container",
     "taken by other pods"},
    {Reason::kNeverAlignsContainer, "never_aligns_container", Cure::kSmaller, "cannot align container",
     "not even when the node is empty"},
    {Reason::kCannotAlignInitContainer, "cannot_align_init_container", Cure::kVictims, "cannot align init container",
     "taken by other pods"},
    {Reason::kNeverAlignsInitContainer, "never_aligns_init_container", Cure::kSmaller, "cannot align init container",
     "not even when the node is empty"},
    {Reason::kCannotAlignSidecar, "cannot_align_sidecar_container", Cure::kVictims, "cannot align sidecar container",
     "taken by other pods"},
    {Reason::kNeverAlignsSidecar, "never_aligns_sidecar_container", Cure::kSmaller, "cannot align sidecar container",
     "not even when the node is empty"},
    {Reason::kInsufficientZones, "insufficient_zones", Cure::kVictims, "node(s) had insufficient resource of NUMA node",
     "taken by other pods"},
    {Reason::kZonesTooSmall, "zones_too_small", Cure::kSmaller, "node(s) had insufficient resource of NUMA node",
     "too small even when empty"},
    {Reason::kUsageCeiling, "usage_ceiling", Cure::kVictims, "node(s) would exceed the usage ceiling"},
    {Reason::kUsageCeilingTooLow, "usage_ceiling_too_low", Cure::kSmaller, "node(s) would exceed the usage ceiling",
     "even without the other pods"},
    {Reason::kUsageUnknown, "usage_unknown", Cure::kOther, "node(s) had no fresh usage data"},
    {Reason::kQuotaExceeded, "quota_exceeded", Cure::kOther, "quota of the pod's business group is exhausted"},
    {Reason::kQuotaHoursSpent, "quota_hours_spent", Cure::kOther, "quota hours of the pod's business group are spent"},
    {Reason::kQuotaNoGroup, "quota_no_group", Cure::kOther, "quota of the pod's business group does not exist"},
    {Reason::kQuotaGroupClosed, "quota_group_closed", Cure::kOther,
     "quota of the pod's business group takes no pods now"},
    {Reason::kQuotaAmountNeeded, "quota_amount_needed", Cure::kOther,
     "quota of the pod's business group wants every container to state its amounts"},
    {Reason::kQuotaAncestorOver, "quota_ancestor_over", Cure::kOther,
     "quota of a group above the pod's business group is over its budget"},
    {Reason::kQuotaClaimUnknown, "quota_claim_unknown", Cure::kOther,
     "quota of the pod's business group is of devices and a ResourceClaim of the pod is unknown"},
    {Reason::kQuotaOtherModel, "quota_other_model", Cure::kOther,
     "node(s) were not of the model that the pod's quota labels name"},
    {Reason::kQuotaModelExceeded, "quota_model_exceeded", Cure::kOther,
     "node(s) were of a model of which quota of the pod's business group is exhausted"},
    {Reason::kQuotaModelNotNamed, "quota_model_not_named", Cure::kOther,
     "node(s) were of a model that the pod's quota labels must name"},
    {Reason::kHeldForMove, "held_for_move", Cure::kOther, "node(s) hold room for a pod that is being moved"},
    {Reason::kMovesElsewhere, "moves_elsewhere", Cure::kOther, "node(s) are not where the pod is being moved to"},
};

static_assert(std::size(kReasonTable) == static_cast<size_t>(Reason::kMovesElsewhere) + 1);

inline constexpr auto kReasons = [] {
  std::array<Reason, std::size(kReasonTable)> reasons{};
  for (size_t i = 0; i < reasons.size(); ++i) reasons[i] = kReasonTable[i].reason;
  return reasons;
}();
static_assert(std::ranges::all_of(kReasonTable, [](const ReasonEntry& entry) {
  return &entry - kReasonTable == static_cast<ptrdiff_t>(entry.reason);
}));

constexpr const ReasonEntry& EntryOf(Reason reason) { return kReasonTable[static_cast<size_t>(reason)]; }

// What kube-scheduler shows, e.g. "node(s) had insufficient resource of NUMA node"; empty for kFits.
constexpr std::string_view Text(Reason reason) { return EntryOf(reason).text; }
constexpr std::string_view Label(Reason reason) { return EntryOf(reason).label; }
constexpr std::string_view Apart(Reason reason) { return EntryOf(reason).apart; }
// Whether taking pods off the node could help: FailedNodes if so, else FailedAndUnresolvableNodes.
constexpr bool CurableByVictims(Reason reason) { return EntryOf(reason).cure == Cure::kVictims; }
// Whether the node could not take the pod even without the others there.
constexpr bool NeverFits(Reason reason) { return EntryOf(reason).cure == Cure::kSmaller; }

}  // namespace huygens::policy
