// Kubelet's policies and options as attributes of a topology object, by the names that exporters and huygens read
// (kubelet/settings.h). Pure; any thread.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "kubelet_api/configz.h"

namespace huygens::publish {

// By name. Options that kubelet was not given are said to be off, so that no default of a reader comes in.
std::vector<std::pair<std::string, std::string>> PolicyAttributes(const kubelet_api::RunningConfiguration& kubelet);

}  // namespace huygens::publish
