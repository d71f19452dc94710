// Says what kubelet will do with one more pod on a machine whose kubelet pins: admitted or not and why, which zones
// each container gets, what is free afterwards. Pure; any thread. Two steps as in kubelet: the Topology Manager merges
// what each resource prefers into one mask of zones (per container or per pod), then the managers allocate, which can
// fail under every policy.
//
// Exact for what counts can say (see kubelet/machine.h) up to the search bound, which is one for all
// containers of a pod: if the steps for masks of three or more zones do not suffice, the pod is taken to be refused
// (`bounded`). Where nothing is preferred (best-effort only) the merge is exact within these steps up to kMaxMergeZones
// zones; else the affinity is all zones. One and two zones are always exact. Source: kubernetes v1.36,
// pkg/kubelet/cm/topologymanager and the static policies of its three managers.
#pragma once

#include <optional>

#include "kubelet/machine.h"
#include "kubelet/pod.h"
#include "topology/mask_set.h"

namespace huygens::kubelet {

// What is left of the search bound, for all questions about one pod and node.
struct SearchSteps {
  explicit SearchSteps(size_t zones);
  int masks;   // of the search for masks and their merge
  int shares;  // of the search for zones to divide CPUs among
};

enum class Admission : uint8_t {
  kAdmitted,
  kTopologyAffinityError,     // the policy refuses the merged affinity
  kSmtAlignmentError,         // full-pcpus-only: no whole cores
  kUnexpectedAdmissionError,  // a manager cannot allocate
};

struct ContainerPlacement {
  struct Cpus {
    uint8_t zone = 0;
    int count = 0;
  };
  struct Memory {
    uint8_t row = 0;  // of Machine::memory
    int64_t bytes = 0;
    ZoneMask zones = 0;
  };
  std::optional<ZoneMask> affinity;  // of the merged hint; nothing = no affinity
  bool preferred = false;
  absl::InlinedVector<Cpus, 2> cpus;      // exclusive ones, by zone
  absl::InlinedVector<Memory, 1> memory;  // by row; without what later containers reuse of it
  absl::InlinedVector<Allocation::Devices, 1> devices;
  CpuSet cpu_set;  // only where the machine knows its free CPUs
};

struct Prediction {
  Admission admission = Admission::kAdmitted;
  bool at_merge = false;                                  // refused by the policy, not by a manager
  bool bounded = false;                                   // the search bound was met; refused unless best-effort
  int container = -1;                                     // which one was refused; -1 = the pod as a whole
  absl::InlinedVector<ContainerPlacement, 2> containers;  // as in Pod; those before a refused one if refused
  Allocation charge;                                      // of the whole pod; empty if refused

  bool Admitted() const { return admission == Admission::kAdmitted; }
};

Prediction Predict(const Machine& machine, const Pod& pod);
// Takes what it needs from `steps`.
Prediction Predict(const Machine& machine, const Pod& pod, SearchSteps& steps);

}  // namespace huygens::kubelet
