#include "kubelet/admission.h"

#include <algorithm>

#include "kubelet/allocation.h"

namespace huygens::kubelet {

namespace {

using Kind = Container::Kind;

constexpr int kMaxMaskSteps = 1536;  // about 15 us
// Up to topology::kMaxMergeZones zones, where a merge costs about 300: enough for eleven containers that differ, asked
// for twice.
constexpr int kMaxMaskStepsFewZones = 6656;
constexpr int kMaxSharesSteps = 2048;

// The memory that the last container reuses is taken off the blocks of the init containers it comes from.
void ShrinkReusedBlocks(const Pod& pod, Prediction& prediction) {
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

bool AskTheSame(const Container& a, const Container& b) {
  return a.cpus == b.cpus && a.memory == b.memory && a.devices == b.devices;
}

// A container that asks the same of the same machine as the last one, which changed nothing: an init container that
// took what those before it had left.
void Repeat(AdmissionState& state, Prediction& prediction) {
  ContainerPlacement placement = prediction.containers.back();
  for (const ContainerPlacement::Memory& block : placement.memory) {
    for (size_t zone : ZonesIn{block.zones}) ++state.memory_blocks[zone];
  }
  prediction.containers.push_back(std::move(placement));
}

Prediction Refused(Prediction prediction, Admission admission, bool at_merge, int container) {
  prediction.admission = admission;
  prediction.at_merge = at_merge;
  prediction.container = container;
  return prediction;
}

}  // namespace

SearchSteps::SearchSteps(size_t zones)
    : masks(zones <= topology::kMaxMergeZones ? kMaxMaskStepsFewZones : kMaxMaskSteps), shares(kMaxSharesSteps) {}

Prediction Predict(const Machine& machine, const Pod& pod) {
  SearchSteps steps(machine.zones.size());
  return Predict(machine, pod, steps);
}

Prediction Predict(const Machine& machine, const Pod& pod, SearchSteps& steps) {
  AdmissionState state(machine);
  Prediction prediction;
  const bool merges = machine.options.policy != TopologyManagerPolicy::kNone;
  const bool per_pod = machine.options.scope == TopologyManagerScope::kPod;
  Affinity affinity;
  auto merge = [&](const HintRequest& request) {
    const Merge merge = MergeHints(state, HintsOf(state, request, steps.masks), steps.masks);
    prediction.bounded |= merge.bounded || steps.masks < 0;
    affinity = merge.affinity;
    return merge.admitted;
  };
  if (merges && per_pod && !merge({pod.cpus, pod.memory, pod.devices})) {
    return Refused(std::move(prediction), Admission::kTopologyAffinityError, true, -1);
  }
  std::optional<AdmissionState> before;  // the last container, where the next one asks the same
  for (size_t i = 0; i < pod.containers.size(); ++i) {
    const Container& container = pod.containers[i];
    const auto index = static_cast<int>(i);
    const bool last_again = before && AskTheSame(container, pod.containers[i - 1]) && before->SameFree(state);
    if (last_again && container.kind == pod.containers[i - 1].kind) {
      Repeat(state, prediction);
      ShrinkReusedBlocks(pod, prediction);
      continue;
    }
    if (!last_again) {
      before.reset();
      if (i + 1 < pod.containers.size() && AskTheSame(container, pod.containers[i + 1])) before.emplace(state);
      if (merges && !per_pod && !merge({container.cpus, container.memory, container.devices})) {
        return Refused(std::move(prediction), Admission::kTopologyAffinityError, true, index);
      }
    }
    ContainerPlacement placement{.affinity = affinity.zones, .preferred = affinity.preferred};
    Admission admission = AllocateDevices(state, container, affinity, placement);
    if (admission == Admission::kAdmitted) {
      admission = AllocateCpus(state, pod, container, affinity, steps.shares, placement);
    }
    if (admission == Admission::kAdmitted) {
      admission = AllocateMemory(state, container, affinity, steps.masks, placement);
    }
    prediction.bounded |= steps.masks < 0;
    if (admission != Admission::kAdmitted) return Refused(std::move(prediction), admission, false, index);
    prediction.containers.push_back(std::move(placement));
    ShrinkReusedBlocks(pod, prediction);
  }
  prediction.charge = state.Taken();
  return prediction;
}

}  // namespace huygens::kubelet
