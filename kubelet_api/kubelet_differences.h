// Where kubelet's view of a machine is not the kernel's, in sentences for people: zones, then cores.
#pragma once

#include <string>
#include <vector>

#include "kubelet_api/kubelet_machine.h"
#include "machine/machine.h"

namespace huygens::kubelet_api {

std::vector<std::string> KubeletDifferences(const machine::Machine& machine, const KubeletMachine& kubelet);

}  // namespace huygens::kubelet_api
