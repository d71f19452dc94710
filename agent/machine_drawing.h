// `huygens-agent show`: a machine as text for people, up to 100 columns wide.
#pragma once

#include <string>

#include "kubelet_api/kubelet_machine.h"
#include "machine/machine.h"

namespace huygens::agent {

std::string DrawMachine(const machine::Machine& machine, const StatusOr<kubelet_api::KubeletMachine>& kubelet);

}  // namespace huygens::agent
