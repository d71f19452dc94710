// What `huygens explain` says where it has nothing to explain. Pure; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "admin_api/pod_document.h"
#include "admin_api/quota_document.h"
#include "base/time.h"

namespace huygens::reports {

// Whether what /readyz answered, which was not 200, means that huygens refuses calls: otherwise it is about to end and
// still answers them. An answer without items is somebody else's, and counts as a refusal.
bool RefusesCalls(std::string_view readyz);
// The same in words, with what fails.
std::string NotReadyText(std::string_view readyz);

// For a pod that holds capacity and on which the server remembers no decision: where it is, and what it holds there.
std::string PlacedPodText(const admin_api::PodDocument& pod, std::string_view url, Time now);
// For another that the server knows and remembers no decision on: what each node would say of it now.
// `quota`: what its group says of it; null: nothing is known. `left_above`: LeftAboveText.
std::string UndecidedPodText(const admin_api::PodDocument& pod, std::string_view url,
                             const admin_api::PodQuotaDocument* quota = nullptr, std::string_view left_above = {});
// For a pod that the server knows nothing about. `is_node`: there is a Node of its name.
std::string UnknownPodText(std::string_view pod, std::string_view url, bool is_node = false);
// For a node that is none of `names`, which the server knows.
std::string UnknownNodeText(std::string_view node, std::string_view url, const std::vector<std::string>& names);

}  // namespace huygens::reports
