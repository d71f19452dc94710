#include "topology/kubelet_admission.h"

#include <algorithm>

#include "topology/kubelet_allocation.h"

namespace huygens::topology {

namespace {

using Kind = KubeletContainer::Kind;

// The memory that the last container reuses is taken off the blocks of the init containers it comes from.
void ShrinkReusedBlocks(const KubeletPod& pod, Prediction& prediction) {
  const size_t last = prediction.containers.size() - 1;
  for (const ContainerPlacement::Memory& block : prediction.containers[last].memory) {
    int64_t bytes = block.bytes;
    for (size_t i = 0; i < last; ++i) {
      if (pod.containers[i].kind != Kind::kInit) continue;
      for (ContainerPlacement::Memory& earlier : prediction.containers[i].memory) {
        if (earlier.row != block.row || earlier.zones != block.zones) continue;
        const int64_t part = std::min(bytes, earlier.bytes);
        earlier.bytes -= part;
        bytes -= part;
      }
    }
  }
}

Prediction Refused(Prediction prediction, Admission admission, bool at_merge, int container) {
  prediction.admission = admission;
  prediction.at_merge = at_merge;
  prediction.container = container;
  return prediction;
}

}  // namespace

std::string_view Text(Admission admission) {
  switch (admission) {
    case Admission::kAdmitted:
      return "";
    case Admission::kTopologyAffinityError:
      return "TopologyAffinityError";
    case Admission::kSmtAlignmentError:
      return "SMTAlignmentError";
    case Admission::kUnexpectedAdmissionError:
      return "UnexpectedAdmissionError";
  }
  return "";
}

Prediction Predict(const KubeletMachine& machine, const KubeletPod& pod) {
  KubeletState state(machine);
  Prediction prediction;
  const bool merges = machine.options.policy != TopologyManagerPolicy::kNone;
  const bool per_pod = machine.options.scope == TopologyManagerScope::kPod;
  Affinity affinity;
  int steps = kMaxMaskSteps;  // where there are many zones, for the whole pod
  auto merge = [&](const HintRequest& request) {
    const Merge merge = MergeHints(state, HintsOf(state, request, steps), steps);
    prediction.bounded |= merge.bounded || steps < 0;
    affinity = merge.affinity;
    return merge.admitted;
  };
  if (merges && per_pod && !merge({pod.cpus, pod.memory, pod.devices})) {
    return Refused(std::move(prediction), Admission::kTopologyAffinityError, true, -1);
  }
  for (size_t i = 0; i < pod.containers.size(); ++i) {
    const KubeletContainer& container = pod.containers[i];
    const auto index = static_cast<int>(i);
    if (machine.zones.size() <= kMaxMergeZones) steps = kMaxMaskSteps;
    if (merges && !per_pod && !merge({container.cpus, container.memory, container.devices})) {
      return Refused(std::move(prediction), Admission::kTopologyAffinityError, true, index);
    }
    ContainerPlacement placement{.affinity = affinity.zones, .preferred = affinity.preferred};
    Admission admission = AllocateDevices(state, container, affinity, placement);
    if (admission == Admission::kAdmitted) admission = AllocateCpus(state, pod, container, affinity, placement);
    if (admission == Admission::kAdmitted) admission = AllocateMemory(state, container, affinity, steps, placement);
    prediction.bounded |= steps < 0;
    if (admission != Admission::kAdmitted) return Refused(std::move(prediction), admission, false, index);
    prediction.containers.push_back(std::move(placement));
    ShrinkReusedBlocks(pod, prediction);
  }
  prediction.charge = state.Taken();
  return prediction;
}

}  // namespace huygens::topology
