// The machine that a topology object of the community describes, as far as objects of that kind describe one: figures
// are those of the moment when the exporter read them. Pure; any thread.
//
// Zones with an id of 64 or more are left out: kubelet's bit masks cannot hold them. Fractions of a CPU count for
// nothing. A device counts for each zone that lists it. What no zone lists is not pinned: podresources has no CPUs
// where the CPU manager's policy is none, and no memory where the memory manager's is None. Figures that contradict
// each other are raised to allocatable >= available and capacity >= allocatable; memory is cut to 1 Pi per zone.
// A zone holds memory if not all of it is available, or if the attribute memoryGroup of any zone says that the two
// share multi-zone memory: kubelet ends that with the last block that touches a zone, whether or not the zone gave any
// of it (pkg/kubelet/cm/memorymanager/policy_static.go, updateMachineState and RemoveContainer). Without the attribute
// a zone is taken to share none. Distances count only if all are given. Source of the figures:
// resource-topology-exporter and node-feature-discovery, from kubelet's podresources API.
#pragma once

#include "cluster/objects.h"
#include "kubelet/machine.h"

namespace huygens::kubelet {

// Whether the object can be used: no defect, at most 64 zones, ordered by id, at most 65536 CPUs.
bool Usable(const cluster::NodeTopology& topology);

// For usable objects.
Machine PublishedMachine(const cluster::NodeTopology& topology, const Options& options);

// Whether each zone lists its cores (huygens.dev/cores) with as many CPUs as it has.
bool ListsAllCpus(const cluster::NodeTopology& topology);

// The CPUs of a machine that the object lists core by core; none if it does not list all, or one of them twice.
std::vector<LogicalCpu> ListedCpus(const cluster::NodeTopology& topology, const Machine& machine);

// The CPUs that kubelet keeps for the system, as the attribute huygens.dev/reserved-cpus lists them ("0,8", as a Linux CPU
// list); empty where it is not there, cannot be read, or says another number of a zone than the figures do.
std::vector<int> ListedReserved(const cluster::NodeTopology& topology, const Machine& machine);

// What the Node has of a device resource beyond all that the zones list is in no zone: a last group, all of it free,
// instead of the one there was. Resources that no zone lists are left out: kubelet aligns nothing for them, and
// kube-scheduler counts them.
void SetDevicesOfNoZone(Machine& machine, const ResourceVector& node_allocatable);

// `held` is what pods hold of all devices, wherever those are: of the devices of no zone so many are free as remain
// with those free in the zones.
void CountDevicesOfNoZone(Machine& machine, const ResourceVector& held);
bool HasDevicesOfNoZone(const Machine& machine);

// The amounts of a list that may be devices.
ResourceVector DevicesIn(const ResourceVector& amounts);

// The same machine with nothing in use.
Machine Emptied(Machine machine);

}  // namespace huygens::kubelet
