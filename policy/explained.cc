#include "policy/explained.h"

#include <algorithm>

#include "base/text.h"

namespace huygens::policy {

namespace {

constexpr std::string_view kWaitForZones =
    "it fits once pods there end: wait, give it a priority by which kube-scheduler may preempt, or add nodes. "
    "`huygens explain node/NAME` shows who holds the zones.";
constexpr std::string_view kAskForLess =
    "no pod that ends would help: ask for less, allow several zones where one is asked for "
    "(topology.crane.io/topology-awareness: \"false\"), or add nodes with larger zones.";
constexpr std::string_view kKubeletWouldRefuse =
    "kubelet would never admit it there (TopologyAffinityError): ask for less, or add nodes with larger zones or "
    "another topology manager policy.";

}  // namespace

std::string_view Apart(Reason reason) {
  switch (reason) {
    case Reason::kInsufficientCores:
    case Reason::kInsufficientZones:
    case Reason::kCannotAlignPod:
    case Reason::kCannotAlignContainer:
    case Reason::kCannotAlignInitContainer:
    case Reason::kCannotAlignSidecar:
      return "taken by other pods";
    case Reason::kTooFewCores:
    case Reason::kZonesTooSmall:
      return "too small even when empty";
    case Reason::kNeverAlignsPod:
    case Reason::kNeverAlignsContainer:
    case Reason::kNeverAlignsInitContainer:
    case Reason::kNeverAlignsSidecar:
      return "not even when the node is empty";
    case Reason::kUsageCeilingTooLow:
      return "even without the other pods";
    default:
      return {};
  }
}

std::string Explained(Reason reason) {
  const std::string_view apart = Apart(reason);
  return apart.empty() ? std::string(Text(reason)) : Concat(Text(reason), ": ", apart);
}

std::optional<Reason> ReasonExplainedAs(std::string_view text) {
  const auto* const found = std::ranges::find_if(kReasons, [&](Reason reason) { return Explained(reason) == text; });
  return found == std::end(kReasons) ? std::nullopt : std::optional(*found);
}

std::string_view Advice(Reason reason) {
  switch (reason) {
    case Reason::kFits:
      return {};
    case Reason::kUnknownNode:
      return "the watch has not shown this Node: it is new, or gone; if it stays so see `huygens preflight` and "
             "/readyz?verbose.";
    case Reason::kNoTopology:
      return "the pod asks for zones and the node has no NodeResourceTopology: run the exporter or agent there, or set "
             "topology.nodesWithoutTopology: pass and leave topology-awareness and huygens.dev/smt away.";
    case Reason::kLostTopology:
      return "the node's NodeResourceTopology was deleted: see why its exporter or agent does not write it anew; after "
             "topology.lossGrace the node counts as one without.";
    case Reason::kUnusableTopology:
    case Reason::kInvalidTopologyData:
      return "mend the node's NodeResourceTopology: `huygens explain node/NAME` names its defect.";
    case Reason::kStaleRealCapacity:
      return "whoever writes offline_capacity has stopped: start it again, or set topology.realCapacity.whenStale to "
             "useLast or useAllocatable.";
    case Reason::kUnknownCores:
      return "the node does not list its cores (zone attribute huygens.dev/cores), or kubelet pins there: leave "
             "huygens.dev/smt away, or have its agent list them.";
    case Reason::kInsufficientCores:
    case Reason::kInsufficientZones:
    case Reason::kCannotAlignPod:
    case Reason::kCannotAlignContainer:
    case Reason::kCannotAlignInitContainer:
    case Reason::kCannotAlignSidecar:
      return kWaitForZones;
    case Reason::kTooFewCores:
    case Reason::kZonesTooSmall:
      return kAskForLess;
    case Reason::kNeverAlignsPod:
    case Reason::kNeverAlignsContainer:
    case Reason::kNeverAlignsInitContainer:
    case Reason::kNeverAlignsSidecar:
      return kKubeletWouldRefuse;
    case Reason::kUsageCeiling:
    case Reason::kUsageCeilingTooLow:
      return "`huygens explain node/NAME` shows the ceilings and the week of a node.";
    case Reason::kUsageUnknown:
      return "nothing fresh was measured there: see [!] in /readyz?verbose, or set usage.whenAbsent and "
             "usage.whenStale.";
    case Reason::kQuotaExceeded:
    case Reason::kQuotaHoursSpent:
    case Reason::kQuotaNoGroup:
    case Reason::kQuotaGroupClosed:
    case Reason::kQuotaAmountNeeded:
    case Reason::kQuotaAncestorOver:
    case Reason::kQuotaOtherModel:
    case Reason::kQuotaModelExceeded:
    case Reason::kQuotaModelNotNamed:
      return "`huygens quota explain POD` shows the group, what the pod costs it, and which nodes are of its models.";
  }
  return {};
}

}  // namespace huygens::policy
