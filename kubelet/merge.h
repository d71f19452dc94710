// Kubelet's Topology Manager: what each resource wants, merged into one affinity, and whether the policy admits it. Not
// part of the room's interface.
// Source: kubernetes, pkg/kubelet/cm/topologymanager/policy*.go
#pragma once

#include "kubelet/hints.h"

namespace huygens::kubelet {

struct Affinity {
  std::optional<ZoneMask> zones;  // nothing = no affinity
  bool preferred = false;
};

struct Merge {
  Affinity affinity;
  bool admitted = true;
  bool bounded = false;
};

// For all policies but none, which merges nothing.
Merge MergeHints(const AdmissionState& state, const HintSet& hints, int& steps);

}  // namespace huygens::kubelet
