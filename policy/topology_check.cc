#include "policy/topology_check.h"

namespace huygens::policy {

namespace {

// The community plugin's words for what could not be aligned.
Reason ReasonOf(const kubelet::Prediction& prediction, const kubelet::Pod& pod, bool curable) {
  using Kind = kubelet::Container::Kind;
  if (prediction.admission == kubelet::Admission::kSmtAlignmentError) {
    return curable ? Reason::kInsufficientCores : Reason::kTooFewCores;
  }
  if (prediction.container < 0) return curable ? Reason::kCannotAlignPod : Reason::kNeverAlignsPod;
  switch (pod.containers[static_cast<size_t>(prediction.container)].kind) {
    case Kind::kInit:
      return curable ? Reason::kCannotAlignInitContainer : Reason::kNeverAlignsInitContainer;
    case Kind::kSidecar:
      return curable ? Reason::kCannotAlignSidecar : Reason::kNeverAlignsSidecar;
    case Kind::kApp:
      break;
  }
  return curable ? Reason::kCannotAlignContainer : Reason::kNeverAlignsContainer;
}

}  // namespace

void TopologyCheck::Run(const PodQuery& pod, const cluster::State& state, Candidates& nodes) const {
  if (pod.zones.AsksNothing() && (!kubelet_.AnyNode() || pod.kubelet().asks_nothing)) return;
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (nodes.Rejected(i)) continue;
    const bool lost = state.TopologyLost(nodes.node(i));
    const Reason reason = lost ? JudgeLost(pod, nodes.node(i)) : Judge(pod, nodes.node(i));
    if (reason != Reason::kFits) nodes.Reject(i, reason);
  }
}

// As the lost object last said, but nobody gets zones of it: the node may be another by now, and what is written is not
// known to be seen there.
Reason TopologyCheck::JudgeLost(const PodQuery& pod, NodeIndex node) const {
  if (zones_.Mode(node) != topology::NodeMode::kKubelet)
    return pod.zones.AsksNothing() ? Reason::kFits : Reason::kLostTopology;
  if (!kubelet_.Predicts(node) && !kubelet_.Unusable(node)) return JudgeKubelet(pod, node);
  return pod.kubelet().asks_nothing || pod.kubelet().holds_nothing ? Reason::kFits : Reason::kLostTopology;
}

inline Reason TopologyCheck::Judge(const PodQuery& pod, NodeIndex node) const {
  if (zones_.Mode(node) == topology::NodeMode::kKubelet) return JudgeKubelet(pod, node);
  return pod.zones.AsksNothing() ? Reason::kFits : JudgeManaged(pod, node);
}

Reason TopologyCheck::JudgeKubelet(const PodQuery& pod, NodeIndex node) const {
  // kubelet hands out cores by its own options, the same for all pods.
  if (pod.zones.smt != cluster::Smt::kUnset && !pod.zones.AsksNothing()) return Reason::kUnknownCores;
  if (pod.kubelet().asks_nothing) return Reason::kFits;
  if (kubelet_.Unusable(node)) {
    return pod.kubelet().holds_nothing ? Reason::kFits : Reason::kInvalidTopologyData;  // asks for 0 devices at most
  }
  if (!kubelet_.Predicts(node) || kubelet_.SurelyFitsOne(node, pod.kubelet())) return Reason::kFits;
  const kubelet::Prediction prediction = kubelet_.Predict(node, pod.kubelet());
  if (prediction.Admitted()) return Reason::kFits;
  // Where the search ended early nothing is certain, of the empty node either: preemption will find out.
  const bool curable = prediction.bounded || kubelet_.PredictEmpty(node, pod.kubelet()).Admitted();
  return ReasonOf(prediction, pod.kubelet().pod, curable);
}

inline Reason TopologyCheck::JudgeManaged(const PodQuery& pod, NodeIndex node) const {
  switch (zones_.Mode(node)) {
    case topology::NodeMode::kKubelet:
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
    case topology::Fit::kCoresTaken:
      return Reason::kInsufficientCores;
    case topology::Fit::kTooFewCores:
      return Reason::kTooFewCores;
    case topology::Fit::kCoresUnknown:
      return Reason::kUnknownCores;
    case topology::Fit::kStale:
      return Reason::kStaleRealCapacity;
    case topology::Fit::kTooSmall:
      break;
  }
  return Reason::kZonesTooSmall;
}

}  // namespace huygens::policy
