// The labels by which a Node says how its kubelet is configured (kubelet/settings.h). Pure; any thread.
#pragma once

#include <string>
#include <string_view>

namespace huygens::kubelet {

// Of a setting as Setting names it: "cpuManagerPolicyOptions.full-pcpus-only" is
// "huygens.dev/cpu-manager-policy-options.full-pcpus-only". Of an option that is not known, what its label would be.
std::string LabelOf(std::string_view setting);

}  // namespace huygens::kubelet
