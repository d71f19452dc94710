// What `huygens explain` prints: the newest attempt to place a pod in full, the ones before it in a line each. Pure;
// any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "cli/decisions.h"

namespace huygens::cli {

// `decisions`: at least one, newest first. `now` turns times into "2m ago".
std::string ExplainText(const std::vector<DecisionView>& decisions, Time now);

// What /readyz answered when it was not 200.
std::string NotReadyText(std::string_view readyz);

// For a pod that the server remembers nothing about.
std::string UnknownPodText(std::string_view pod, std::string_view url);

}  // namespace huygens::cli
