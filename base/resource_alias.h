// How operators may call a resource where Kubernetes has a longer word: in the configuration, in annotations of nodes,
// on the command line.
#pragma once

#include <string_view>

namespace huygens {

// The name that Kubernetes has for `name`: "disk" is the space on it, ephemeral-storage; any other name is itself.
inline std::string_view ResourceOf(std::string_view name) { return name == "disk" ? "ephemeral-storage" : name; }

}  // namespace huygens
