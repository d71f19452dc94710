// What `huygens explain` says where it has nothing to explain. Pure; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace huygens::cli {

// What /readyz answered when it was not 200.
std::string NotReadyText(std::string_view readyz);

// For a pod that the server remembers nothing about. `is_node`: there is a Node of its name.
std::string UnknownPodText(std::string_view pod, std::string_view url, bool is_node = false);
// For a node that is none of `names`, which the server knows.
std::string UnknownNodeText(std::string_view node, std::string_view url, const std::vector<std::string>& names);

}  // namespace huygens::cli
