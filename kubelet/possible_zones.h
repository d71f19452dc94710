// Where pods can be whose zones are not known, as far as a published object tells. Each zone of it says how many CPUs
// are in use. Less those of the pods whose zones are known, these are the CPUs of the others: they must be dealt to the
// zones so that each zone gets what it says. Pure; any thread.
//
// It tells of pods that kubelet puts into one zone by container or as a whole; exporters show all of their CPUs but
// those that finished init containers left behind. While any are left kubelet gives no container of the pod CPUs of
// another zone, so they are where the containers after the init container are. Source: kubernetes,
// pkg/kubelet/cm/cpumanager/policy_static.go, generateCPUTopologyHints
#pragma once

#include <vector>

#include "kubelet/machine.h"
#include "kubelet/pod.h"

namespace huygens::kubelet {

// Whether each container of a pod that kubelet admitted has all its CPUs, memory and devices with a zone in one zone;
// at scope pod all containers in the same one.
bool InOneZone(const Machine& machine, const Pod& pod);

// What the object shows, by zone. CPUs that init containers left behind count as free in it.
struct ShownCpus {
  std::vector<int64_t> used;  // by pods whose zones are not known
  std::vector<int64_t> free;  // that init containers of these may hold
};

struct HiddenPod {
  const Pod* pod = nullptr;
  ZoneMask possible = ~ZoneMask{0};  // the zones in which its init containers may have left CPUs behind
};

enum class Deal : uint8_t {
  kFound,   // `possible` of each pod is what is left of it
  kNone,    // there is none: what was taken for known is wrong
  kUnsure,  // the search ended early, or it has nothing to tell; nothing is changed
};

// Deals the CPUs of `pods` to the zones, in all ways there are.
Deal NarrowZones(const Machine& machine, const ShownCpus& shown, std::vector<HiddenPod>& pods);

}  // namespace huygens::kubelet
