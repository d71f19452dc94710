// The CPUs that kubelet keeps for the system, which no pod may own. Pure; any thread.
#pragma once

#include "kubelet_api/configz.h"
#include "kubelet_api/kubelet_machine.h"
#include "machine/machine.h"

namespace huygens::publish {

// Where kubelet pins: reservedSystemCPUs, else those that kubelet itself chooses when it starts, as many as
// systemReserved and kubeReserved come to. Source: kubernetes, pkg/kubelet/cm/cpumanager, NewStaticPolicy.
machine::Ids KubeletReservedCpus(const kubelet_api::KubeletMachine& machine,
                                 const kubelet_api::RunningConfiguration& kubelet);

// Where the agent pins: reservedSystemCPUs, else as many of the lowest zones, core by core.
machine::Ids ManagedReservedCpus(const machine::Machine& machine, const kubelet_api::RunningConfiguration& kubelet);

}  // namespace huygens::publish
