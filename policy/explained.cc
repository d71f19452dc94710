#include "policy/explained.h"

#include <algorithm>

#include "base/text.h"

namespace huygens::policy {

namespace {

constexpr std::string_view kWaitForZones =
    "it fits once pods there end: wait, give it a priority by which kube-scheduler may preempt, or add nodes. "
    "`huygens explain node/NAME` shows who holds the zones.";
constexpr std::string_view kWaitForManagedZones =
    "it fits once pods there end: wait, give it a priority by which kube-scheduler may preempt, allow several zones "
    "where one is asked for (topology.crane.io/topology-awareness: \"false\"), or add nodes. `huygens explain "
    "node/NAME` shows who holds the zones.";
constexpr std::string_view kAskForLess =
    "no pod that ends would help: ask for less, allow several zones where one is asked for "
    "(topology.crane.io/topology-awareness: \"false\"), or add nodes with larger zones (for a pod that may take "
    "several: larger nodes).";
constexpr std::string_view kKubeletWouldRefuse =
    "kubelet would never admit it there (TopologyAffinityError): ask for less, or add nodes with larger zones or "
    "another topology manager policy.";

}  // namespace

std::string Explained(Reason reason) {
  const std::string_view apart = Apart(reason);
  return apart.empty() ? std::string(Text(reason)) : Concat(Text(reason), ": ", apart);
}

std::optional<Reason> ReasonExplainedAs(std::string_view text) {
  const auto found = std::ranges::find_if(kReasons, [&](Reason reason) { return Explained(reason) == text; });
  return found == kReasons.end() ? std::nullopt : std::optional(*found);
}

std::string_view MustChange(Reason reason) {
  switch (reason) {
    case Reason::kNoTopology:
      return "somebody must write the nodes' topology objects, or the pod must not insist on zones";
    case Reason::kUsageCeilingTooLow:
      return "the pod must ask for less, the ceilings of use must be raised, or larger nodes must come";
    case Reason::kUnusableTopology:
    case Reason::kInvalidTopologyData:
      return "their topology objects must be mended";
    case Reason::kStaleRealCapacity:
      return "the real capacity of their zones must be written again";
    case Reason::kUnknownCores:
      return "the nodes must list their cores, or huygens.dev/smt must go from the pod";
    case Reason::kQuotaNoGroup:
      return "the pod's label biz.group.resource.quota must name a group that there is, or somebody must create this "
             "one";
    case Reason::kQuotaHoursSpent:
      return "its business group must be given more hours";
    case Reason::kQuotaGroupClosed:
      return "its business group must be mended, or the pod must name another";
    case Reason::kQuotaAmountNeeded:
      return "every container of it must state what it takes of what its business group limits";
    case Reason::kQuotaOtherModel:
      return "its quota labels must name models that nodes have, or nodes of these models must come or be labelled so";
    case Reason::kQuotaModelNotNamed:
      return "its quota labels must name the model of the nodes";
    case Reason::kHeldForMove:
    case Reason::kMovesElsewhere:
      return "the move under way must end: `kubectl get podmigrations -A`";
    default:
      return NeverFits(reason) ? "the pod must ask for less, or larger nodes must come" : std::string_view();
  }
}

std::string_view Advice(Reason reason) {
  switch (reason) {
    case Reason::kFits:
      return {};
    case Reason::kUnknownNode:
      return "the watch has not shown this Node: it is new, or gone; if it stays so for longer than some seconds see "
             "the item nodes of /readyz?verbose.";
    case Reason::kNoTopology:
      return "the node has no NodeResourceTopology: run the exporter or agent there, or let pods go there without "
             "zones (topology.nodesWithoutTopology: pass; pods that ask for topology-awareness: \"true\" or "
             "huygens.dev/smt are refused there all the same).";
    case Reason::kLostTopology:
      return "the node's NodeResourceTopology was deleted: see why its exporter or agent does not write it anew, or "
             "apply its definition again if that went, too (`kubectl apply -k config/crd`). After topology.lossGrace "
             "the node counts as one without; where topology.nodesWithoutTopology is pass, pods that do not insist on "
             "zones are then placed there and get none.";
    case Reason::kUnusableTopology:
    case Reason::kInvalidTopologyData:
      return "mend the node's NodeResourceTopology, or whoever writes it; the verdict above and `huygens explain "
             "node/NAME` name its defect.";
    case Reason::kStaleRealCapacity:
      return "whoever writes offline_capacity has stopped: start it again, or set topology.realCapacity.whenStale to "
             "useAllocatable (or to useLast, where the last figures are enough).";
    case Reason::kUnknownCores:
      return "the node does not list its cores (zone attribute huygens.dev/cores): leave huygens.dev/smt away, or have "
             "its agent list them.";
    case Reason::kInsufficientCores:
    case Reason::kInsufficientZones:
      return kWaitForManagedZones;
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
      return "move or end pods that use much there, ask for less (where no pod of its kind was measured its limits "
             "count, too), raise the ceiling (usage.resources, or the annotation "
             "huygens.dev/usage-ceilings), or add nodes; `huygens explain node/NAME` shows a node's week by pod.";
    case Reason::kUsageCeilingTooLow:
      return "no pod that ends would help: ask for less, raise the ceiling (usage.resources, or the annotation "
             "huygens.dev/usage-ceilings), or add larger nodes.";
    case Reason::kUsageUnknown:
      return "nothing fresh was measured there: see the item usage-source of /readyz?verbose, or set "
             "usage.resources[].whenAbsent and whenStale.";
    case Reason::kQuotaExceeded:
      return "a larger budget (what its parent has left: `huygens quota tree`), a smaller pod, or fewer pods of the "
             "group: `kubectl get pods -A -l "
             "biz.group.resource.quota=GROUP` lists them, `huygens quota explain POD` what this one costs.";
    case Reason::kQuotaHoursSpent:
      return "more hours for the group (cash/ in its spec.hard), or another group.";
    case Reason::kQuotaNoGroup:
      return "create the group, or mend the pod's label biz.group.resource.quota; `huygens quota tree` lists those "
             "that there are.";
    case Reason::kQuotaGroupClosed:
      return "the line above says why: the group is being deleted, lacks its parent, or waits for its hours; "
             "`huygens quota tree` shows it.";
    case Reason::kQuotaAmountNeeded:
      return "state requests and limits in every container of the pod (or by a LimitRange): the group's budget is of "
             "such amounts.";
    case Reason::kQuotaAncestorOver:
      return "raise the budget of that group, or lower those that it has handed to its children; `huygens quota tree` "
             "marks them.";
    case Reason::kQuotaClaimUnknown:
      return "the line above names the claim: `kubectl get resourceclaims -n NAMESPACE` shows whether there is one; if "
             "huygens may not read them, add the rule that /readyz?verbose names.";
    case Reason::kQuotaOtherModel:
      return "mend the pod's labels biz.group.resource.quota/cpu-type, gpu-type and memory-type, or the nodes' labels "
             "huygens.dev/cpu-model, gpu-model and memory-model (or what quota.cpuModelLabel and the like name "
             "instead); "
             "upper and lower case differ.";
    case Reason::kQuotaModelExceeded:
      return "more budget of that model, a smaller pod, fewer pods on nodes of it, or room on nodes of another; a pod "
             "that names no "
             "model is charged to its node's. `huygens quota explain POD` shows who uses it.";
    case Reason::kQuotaModelNotNamed:
      return "name the model in the pod's labels (biz.group.resource.quota/cpu-type and the like), or free nodes of "
             "none (quota.unnamedModel).";
    case Reason::kHeldForMove:
    case Reason::kMovesElsewhere:
      return "wait for the moves under way, minutes at most: `kubectl get podmigrations -A`.";
  }
  return {};
}

}  // namespace huygens::policy
