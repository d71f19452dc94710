// The labels by which a Node says how its kubelet is configured (topology/kubelet_settings.h). Pure; any thread.
#pragma once

#include <string>
#include <string_view>

namespace huygens::topology {

// Of a setting as KubeletSetting names it: "cpuManagerPolicyOptions.full-pcpus-only" is
// "huygens.dev/cpu-manager-policy-options.full-pcpus-only". Of an option that is not known, what its label would be.
std::string KubeletLabelOf(std::string_view setting);

}  // namespace huygens::topology
