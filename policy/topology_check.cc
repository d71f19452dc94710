#include "policy/topology_check.h"

namespace huygens::policy {

void TopologyCheck::Run(const PodQuery& pod, const cluster::State&, Candidates& nodes) const {
  if (pod.zones.AsksNothing()) return;
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (nodes.Rejected(i)) continue;
    if (Reason reason = Judge(pod, nodes.node(i)); reason != Reason::kFits) nodes.Reject(i, reason);
  }
}

Reason TopologyCheck::Judge(const PodQuery& pod, NodeIndex node) const {
  switch (zones_.Mode(node)) {
    case topology::NodeMode::kKubelet:
      return Reason::kFits;
    case topology::NodeMode::kNoTopology:
      return pod.zones.RequiresTopology() || !zones_.options().nodes_without_topology_pass ? Reason::kNoTopology
                                                                                           : Reason::kFits;
    case topology::NodeMode::kUnusable:
      return Reason::kUnusableTopology;
    case topology::NodeMode::kManaged:
      break;
  }
  switch (zones_.Check(node, pod.zones, pod.now)) {
    case topology::Fit::kFits:
      return Reason::kFits;
    case topology::Fit::kTaken:
      return Reason::kInsufficientZones;
    case topology::Fit::kStale:
      return Reason::kStaleRealCapacity;
    case topology::Fit::kTooSmall:
      break;
  }
  return Reason::kZonesTooSmall;
}

}  // namespace huygens::policy
