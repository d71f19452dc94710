// What `huygens explain` says where it has nothing to explain. Pure; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "admin/pod_document.h"

namespace huygens::cli {

// What /readyz answered when it was not 200: huygens refuses calls, or is about to end and still answers.
std::string NotReadyText(std::string_view readyz);

// For a pod that the server knows and remembers no decision on: what each node would say of it now.
std::string UndecidedPodText(const admin::PodDocument& pod, std::string_view url);
// For a pod that the server knows nothing about. `is_node`: there is a Node of its name.
std::string UnknownPodText(std::string_view pod, std::string_view url, bool is_node = false);
// For a node that is none of `names`, which the server knows.
std::string UnknownNodeText(std::string_view node, std::string_view url, const std::vector<std::string>& names);

}  // namespace huygens::cli
