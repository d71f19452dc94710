// What a placed pod holds of a machine whose kubelet pins, and how that changes what is free: the pod's zones where
// they are known (observed on the node, or predicted when it was bound), else the worst case, so that nothing is given
// out twice. Pure; any thread.
//
// Exporters read kubelet's podresources API, which leaves out init containers (sidecars excepted). Yet kubelet keeps
// the CPUs and devices of a finished init container for the pod until the pod ends, and its memory until it has
// finished: that part of a pod stays hidden (kubernetes, pkg/kubelet/apis/podresources/server_v1.go;
// cpumanager/policy_static.go).
#pragma once

#include <span>
#include <vector>

#include "cluster/objects.h"
#include "kubelet/admission.h"
#include "topology/zone_choice.h"

namespace huygens::kubelet {

struct Holding {
  const Pod& pod;                          // must outlive this
  std::vector<cluster::ZoneAmount> zones;  // ordered by zone; empty = unknown
  bool started = false;                    // its init containers have finished
};

// The zones and amounts of a prediction, by zone id: exclusive CPUs in milli-cores, memory, hugepages and devices.
std::vector<cluster::ZoneAmount> ZonesOf(const Machine& machine, const Allocation& charge);

// What each zone of the machine has free, at least 0; devices of no zone are left out.
std::vector<cluster::ZoneAmount> FreeOf(const Machine& machine);

// The zones of a charge as a set of zones. Where the machine does not say how far zones are from each other, 255.
topology::ZoneSet ZonesTaken(const Machine& machine, const Allocation& charge);

// Whether the zones, of those the machine has, hold as much as the pod must have taken (devices of no zone aside): an
// annotation that says less is not believed.
bool Plausible(const Machine& machine, const Holding& holding);

// The published figures do not contain the pod: takes all it holds. A pod whose zones are unknown is taken from every
// zone it could be in.
void ChargeAll(Machine& machine, const Holding& holding);
// They contain it: takes what exporters do not show. Where the pod holds memory across zones these form a group.
void ChargeHidden(Machine& machine, const Holding& holding);
// They contain it: takes what they show of it. Nothing where its zones are unknown.
void ChargeShown(Machine& machine, const Holding& holding);
// They contain it, but it has left: gives back the same.
void Credit(Machine& machine, const Holding& holding);
// It may have been contained, and may have left: gives back the most that may have become free.
void CreditMost(Machine& machine, const Holding& holding);

}  // namespace huygens::kubelet
