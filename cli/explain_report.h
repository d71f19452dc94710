// What `huygens explain` prints: the newest attempt to place a pod in full, the ones before it in a line each. Pure;
// any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "cli/decisions.h"
#include "cli/pod_view.h"

namespace huygens::cli {

// `decisions`: at least one, newest first. `now` turns times into "2m ago". `pod_now`: figures for reasons that are
// still the same, and why there are no zones; null: the server does not know the pod any more.
std::string ExplainText(const std::vector<DecisionView>& decisions, Time now, const PodView* pod_now = nullptr);

// What /readyz answered when it was not 200.
std::string NotReadyText(std::string_view readyz);

// For a pod that the server remembers nothing about. `is_node`: there is a Node of its name.
std::string UnknownPodText(std::string_view pod, std::string_view url, bool is_node = false);
// For a node that is none of `names`, which the server knows.
std::string UnknownNodeText(std::string_view node, std::string_view url, const std::vector<std::string>& names);

}  // namespace huygens::cli
